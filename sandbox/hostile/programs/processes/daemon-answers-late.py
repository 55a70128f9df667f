# /// case
# attack = "Ends with nothing said; a daemon prints the answer a second later."
# statuses = ["exited"]
# ///
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(1)
    print(42, flush=True)
os._exit(0)
