# /// case
# attack = "Ignores SIGXFSZ and goes on writing."
# statuses = ["exited", "file_limit"]
# ///
import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
print(42, flush=True)
file = os.open("big", os.O_WRONLY | os.O_CREAT)
written = 0
while written < 64 << 20:
    written += os.write(file, bytes(65536))
print("BREACH", written)
