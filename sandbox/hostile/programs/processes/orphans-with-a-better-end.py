# /// case
# attack = "Answers and fails, while its orphans end well before it and others end well after."
# statuses = ["exited"]
# ///
import os, sys, time
for delay in (0, 0, 0.15):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(delay)
        os._exit(0)
    os.wait()
print(42, flush=True)
time.sleep(0.1)
os._exit(3)
