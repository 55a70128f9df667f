# /// case
# attack = "Burns processor time in children that it never waits for, and sleeps."
# statuses = ["timeout"]
# limits = {wall_s = 6.0, cpu_s = 1.0, compile_s = 20.0}
# ///
import os, time
print(42, flush=True)
for _ in range(4):
    if os.fork() == 0:
        while True:
            pass
time.sleep(60)
