# /// case
# attack = "Makes itself the reaper of its daemons, so that they belong to it and not to the first process."
# passes = true
# statuses = ["exited"]
# ///
import ctypes, os, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
for _ in range(5):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(0)
    os.wait()
print(42, flush=True)
