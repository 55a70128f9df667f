# /// case
# attack = "Answers and leaves when its children have burned a second, between two looks and while they are still at it."
# limits = {wall_s = 15.0, cpu_s = 0.5}
# statuses = ["timeout"]
# ///
import os, time
told, tell = os.pipe()
for _ in range(4):
    if os.fork() == 0:
        while time.process_time() < 0.25:
            pass
        os.write(tell, b"x")
        while True:
            pass
for _ in range(4):
    os.read(told, 1)
print(42)
