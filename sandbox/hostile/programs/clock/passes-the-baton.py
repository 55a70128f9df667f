# /// case
# attack = "Hands its work to a new process five times a second, so that none of them reaches the limit."
# limits = {wall_s = 15.0, cpu_s = 0.5, processes = 64}
# statuses = ["timeout"]
# ///
import os, time
ready, told = os.pipe()
if os.fork() == 0:
    for _ in range(20):
        if os.fork():
            os._exit(0)
        while time.process_time() < 0.15:
            pass
    os.write(told, b"x")
    os._exit(0)
os.close(told)
os.read(ready, 1)
print(42)
