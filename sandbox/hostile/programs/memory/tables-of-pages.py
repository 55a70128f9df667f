# /// case
# attack = "Touches one page in every two megabytes of a great map: what fills is the tables, not the pages."
# limits = {wall_s = 20.0, memory_mb = 128}
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# command = true
# ///
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
def tables():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmPTE"))
for _ in range(40):
    place = libc.mmap(None, ctypes.c_size_t(1 << 36), 1, 0x4022, -1, ctypes.c_long(0))
    if place in (None, ctypes.c_void_p(-1).value):
        break
    for at in range(0, 1 << 36, 2 << 20):
        ctypes.c_char.from_address(place + at).value
        if at % (1 << 33) == 0 and tables() > 1200:
            print("BREACH", tables(), "MB of tables, in a cell of 1024 MB", flush=True)
            raise SystemExit(1)
print("got", tables())
