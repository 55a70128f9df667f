# /// case
# attack = "Leaves a hundred children unwaited that each took a little less than the kernel counts in."
# limits = {wall_s = 15.0, cpu_s = 0.5, processes = 128}
# statuses = ["timeout"]
# ///
import os, time
for _ in range(100):
    if os.fork() == 0:
        while time.process_time() < 0.009:
            pass
        os._exit(0)
    time.sleep(0.012)
print(42)
