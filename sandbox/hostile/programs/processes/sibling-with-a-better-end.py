# /// case
# attack = "Answers and fails, while a process that it made a child of its parent ends well before it."
# statuses = ["exited"]
# ///
import ctypes, os, platform, sys, time
libc = ctypes.CDLL(None)
number = {"x86_64": 56, "aarch64": 220}[platform.machine()]
for _ in range(3):
    if libc.syscall(number, ctypes.c_long(0x8000 | 17), ctypes.c_long(0), 0, 0, 0) == 0:  # CLONE_PARENT
        os._exit(0)
print(42, flush=True)
time.sleep(0.1)
os._exit(3)
