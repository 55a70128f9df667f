# /// case
# attack = "The same by the device of zeros, which gives shared memory too."
# limits = {wall_s = 20.0, memory_mb = 128}
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# ///
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
size, held = 64 << 20, 0
try:
    device, rights = os.open("/dev/zero", os.O_RDWR), 3
except OSError as error:
    print("HELD", error.strerror, flush=True)
    device, rights = os.open("/dev/zero", os.O_RDONLY), 1
for _ in range(30):
    place = libc.mmap(None, ctypes.c_size_t(size), rights, 1, device, ctypes.c_long(0))
    if place in (None, ctypes.c_void_p(-1).value):
        print("HELD", os.strerror(ctypes.get_errno()))
        break
    if rights == 3:
        ctypes.memset(place, 1, size)
        held += size >> 20
    else:  # the kernel gives pages of its own, which go with the map
        bytes((ctypes.c_char * size).from_address(place)[:: 4096])
    libc.munmap(ctypes.c_void_p(place + 4096), ctypes.c_size_t(size - 4096))
print("BREACH" if held > 1200 else "got", held, "MB that no map shows, in a cell of 1024 MB", flush=True)
