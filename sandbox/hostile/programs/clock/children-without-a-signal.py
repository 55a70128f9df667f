# /// case
# attack = "Burns in children that tell nobody of their end."
# limits = {wall_s = 15.0, cpu_s = 0.5, processes = 64}
# statuses = ["timeout"]
# ///
import ctypes, os, platform, time
libc = ctypes.CDLL(None)
number = {"x86_64": 56, "aarch64": 220}[platform.machine()]
for _ in range(20):
    if libc.syscall(number, ctypes.c_long(0), ctypes.c_long(0), 0, 0, 0) == 0:
        while time.process_time() < 0.1:
            pass
        os._exit(0)
time.sleep(3)
print(42)
