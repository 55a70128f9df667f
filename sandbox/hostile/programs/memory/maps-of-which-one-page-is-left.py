# /// case
# attack = "Fills shared maps and gives back all of each but a page: the memory stays, and nobody maps it."
# limits = {wall_s = 20.0, memory_mb = 128}
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# ///
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
size, held = 64 << 20, 0
for _ in range(30):
    place = libc.mmap(None, ctypes.c_size_t(size), 3, 0x21, -1, ctypes.c_long(0))
    if place in (None, ctypes.c_void_p(-1).value):
        print("HELD", os.strerror(ctypes.get_errno()))
        break
    ctypes.memset(place, 1, size)
    libc.munmap(ctypes.c_void_p(place + 4096), ctypes.c_size_t(size - 4096))
    held += size >> 20
    if held > 1200:
        print("BREACH", held, "MB that no map shows, in a cell of 1024 MB", flush=True)
print("got", held)
