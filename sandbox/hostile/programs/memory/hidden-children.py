# /// case
# attack = "Thirteen children that nobody may look at and that each hold nearly what one process may."
# limits = {wall_s = 6.0, memory_mb = 128}
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# ///
import ctypes, os, time
ready, told = os.pipe()
for _ in range(13):
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
        try:
            held = bytearray(b"x") * (96 << 20)
            os.write(told, b"x")
        finally:
            time.sleep(60)
held = sum(96 for _ in range(13) if os.read(ready, 1))
time.sleep(1)
print("BREACH" if held > 1200 else "got", held, "MB in hidden children, in a cell of 1024 MB", flush=True)
