# /// case
# attack = "Sends every signal to the first process of the cell."
# limits = {wall_s = 0.5}
# ///
import os, signal, time
print(42, flush=True)
for number in range(1, signal.NSIG):
    try:
        os.kill(1, number)
    except OSError:
        pass
time.sleep(3600)
