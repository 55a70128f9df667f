# /// case
# attack = "Ignores SIGXCPU and goes on past its limit of processor time."
# statuses = ["timeout"]
# limits = {wall_s = 4.0, cpu_s = 1.0}
# ///
import signal
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
print(42, flush=True)
while True:
    pass
