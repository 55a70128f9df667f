# /// case
# attack = "Gives the idle disk class to the processes around it."
# parts = ["others"]
# passes = true
# statuses = ["exited"]
# ///
import ctypes, platform
libc = ctypes.CDLL(None)
number = {"x86_64": 251, "aarch64": 30}[platform.machine()]
for process in others:
    libc.syscall(number, 1, process, 3 << 13)
print(42)
