# /// case
# attack = "Sends every signal to its parent, which keeps its time, and then hangs."
# limits = {wall_s = 0.5}
# ///
import os, signal, time
print(42, flush=True)
for number in range(1, signal.NSIG):
    try:
        os.kill(os.getppid(), number)
    except OSError:
        pass
time.sleep(3600)
