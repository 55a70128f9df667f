# /// case
# attack = "Changes its name, its death signal, its dumpability and its timers, none of which may matter."
# passes = true
# statuses = ["exited"]
# ///
import ctypes
libc = ctypes.CDLL(None)
for option, value in ((15, b"forkserver"), (1, 0), (4, 1), (29, 10**9), (36, 1), (38, 0), (22, 0), (3, 0)):
    libc.prctl(option, value if isinstance(value, bytes) else ctypes.c_ulong(value), 0, 0, 0)
print(42)
