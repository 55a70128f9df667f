# /// case
# attack = "Asks for space in files without writing, behind their end and in the middle of them."
# limits = {wall_s = 6.0, memory_mb = 128}
# statuses = ["exited", "file_limit"]
# ///
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print(42, flush=True)
taken = 0
for number in range(200):
    opened = os.open(str(number), os.O_RDWR | os.O_CREAT)
    if libc.fallocate(opened, 1, ctypes.c_long(0), ctypes.c_long(8 << 20)) == 0:
        taken += 8
if taken > 80:
    print("BREACH", taken, "MB on a disk of 64 MB", flush=True)
os._exit(1)
