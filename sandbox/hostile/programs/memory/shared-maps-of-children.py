# /// case
# attack = "Twenty children that each hold a shared map of nearly their limit, hidden from whoever may not look at them."
# limits = {wall_s = 4.0}
# ///
import ctypes, mmap, os, time
ready, told = os.pipe()
for _ in range(20):
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # not to be looked at
        shared = mmap.mmap(-1, 96 << 20)
        for page in range(0, 96 << 20, 4096):
            shared[page] = 1
        os.write(told, b"x")
        time.sleep(60)
held = sum(96 for _ in range(20) if os.read(ready, 1))
time.sleep(0.2)
if held > 1200:
    print("BREACH", held, "MB in shared maps at once, in a cell of 1024 MB", flush=True)
