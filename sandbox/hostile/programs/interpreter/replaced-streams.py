# /// case
# attack = "Replaces the standard streams by objects that fail, lie and have no descriptor."
# passes = "either"
# statuses = ["exited"]
# ///
import io, os, sys
class Bad(io.TextIOBase):
    def write(self, text):
        raise OSError("full")
    flush = close = fileno = write
os.write(1, b"42\n")
sys.stdout = sys.__stdout__ = Bad()
sys.stderr = sys.__stderr__ = None
