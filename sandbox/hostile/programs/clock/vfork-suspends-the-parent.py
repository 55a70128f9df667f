# /// case
# attack = "Suspends itself inside vfork while the child that shares its memory sleeps."
# statuses = ["signalled", "timeout"]
# ///
import ctypes, platform, time
print(42, flush=True)
libc = ctypes.CDLL(None)
numbers = {"x86_64": 56, "aarch64": 220}  # clone with CLONE_VM | CLONE_VFORK, as vfork is made
libc.syscall(numbers[platform.machine()], ctypes.c_long(0x4100 | 17), ctypes.c_long(0), 0, 0, 0)
time.sleep(3600)
