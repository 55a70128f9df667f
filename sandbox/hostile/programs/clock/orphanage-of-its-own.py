# /// case
# attack = "Takes in the orphans of its children itself, and never waits for them."
# limits = {wall_s = 15.0, cpu_s = 0.5, processes = 64}
# statuses = ["timeout"]
# ///
import ctypes, os, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
for _ in range(25):
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            while time.process_time() < 0.1:
                pass
        os._exit(0)
    os.waitpid(child, 0)
time.sleep(3)
print(42)
