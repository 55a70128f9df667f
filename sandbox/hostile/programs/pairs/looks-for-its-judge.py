# /// case
# attack = "Looks for the judge among the processes it sees, kills what it may, and hangs."
# limits = {wall_s = 0.7}
# ///
import os, signal, time
for process in os.listdir("/proc"):
    if process.isdigit() and int(process) != os.getpid():
        try:
            os.kill(int(process), signal.SIGKILL)
        except OSError:
            pass
def double(x):
    time.sleep(3600)
