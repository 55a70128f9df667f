# /// case
# attack = "Burns in children that each take less than the kernel counts in, and waits for all of them."
# limits = {wall_s = 15.0, cpu_s = 0.5, processes = 64}
# statuses = ["timeout"]
# ///
import os, time
for _ in range(600):
    if os.fork() == 0:
        while time.process_time() < 0.005:
            pass
        os._exit(0)
    os.wait()
print(42)
