# /// case
# attack = "Answers rightly and leaves a daemon that keeps standard output open: right, and at once."
# passes = true
# statuses = ["exited"]
# limits = {wall_s = 20.0}
# ///
import os, time
print(42, flush=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(3600)
    os._exit(0)
