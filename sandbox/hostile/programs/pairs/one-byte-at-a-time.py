# /// case
# attack = "Writes its answer byte by byte, so that every wait for more begins again."
# limits = {wall_s = 1.0, memory_mb = 256}
# ///
import os, time
def double(x):
    for byte in b"= 0 0.0 " + b" " * 10000:
        os.write(3, bytes([byte]))
        time.sleep(0.01)
    return 42
