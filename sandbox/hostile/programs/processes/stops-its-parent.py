# /// case
# attack = "Stops the process that keeps its time, again and again, and then hangs."
# limits = {wall_s = 0.5}
# ///
import os, signal, time
print(42, flush=True)
parent = os.getppid()
while True:
    try:
        os.kill(parent, signal.SIGSTOP)
    except OSError:
        pass
    time.sleep(0.05)
