# /// case
# attack = "Buffers the answer and leaves without flushing: nothing was printed."
# statuses = ["exited"]
# ///
import os, sys; sys.stdout.write('42\n'); os._exit(0)
