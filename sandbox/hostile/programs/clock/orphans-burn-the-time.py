# /// case
# attack = "Burns in grandchildren whose parents have left, so that nobody it knows waits for them."
# limits = {wall_s = 15.0, cpu_s = 0.5, processes = 128}
# statuses = ["timeout"]
# ///
import os, time
for _ in range(200):
    child = os.fork()
    if child == 0:
        if os.fork():
            os._exit(0)
        while time.process_time() < 0.02:
            pass
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(0.01)
print(42)
