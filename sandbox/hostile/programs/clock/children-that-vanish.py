# /// case
# attack = "Ignores SIGCHLD, so that children are forgotten with the time they took, and burns two seconds in short ones."
# limits = {wall_s = 15.0, cpu_s = 0.5, processes = 64}
# statuses = ["timeout"]
# ///
import os, signal, time
try:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
except OSError as error:
    print("not ignored:", error, flush=True)
burned = 0.0
while burned < 2.0:
    try:
        child = os.fork()
    except OSError:
        time.sleep(0.01)
        continue
    if child == 0:
        while time.process_time() < 0.01:
            pass
        os._exit(0)
    time.sleep(0.01)
    burned += 0.01
print(42)
