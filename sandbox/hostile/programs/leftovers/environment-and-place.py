# /// case
# attack = "Changes the environment, the directory, the time zone, the host's name and the import path."
# passes = true
# statuses = ["exited"]
# ///
import os, sys, time
os.environ.update(PYTHONPATH="/tmp", PYTHONSTARTUP="/tmp/x.py", LD_PRELOAD="/tmp/x.so", TZ="Etc/GMT+12")
time.tzset()
sys.path.insert(0, "/dev/shm")
os.chdir("/")
print(42)
