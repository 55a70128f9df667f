# /// case
# attack = "Grows in a child that shares its memory and holds it up meanwhile."
# limits = {wall_s = 1.5, memory_mb = 128}
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# ///
import ctypes, platform
print(42, flush=True)
libc = ctypes.CDLL(None)
number = {"x86_64": 56, "aarch64": 220}[platform.machine()]
held = []
for _ in range(4):
    if libc.syscall(number, ctypes.c_long(0x4100 | 17), ctypes.c_long(0), 0, 0, 0) == 0:
        while True:
            held.append(bytearray(b"x") * (8 << 20))
while True:
    held.append(bytearray(b"x") * (8 << 20))
