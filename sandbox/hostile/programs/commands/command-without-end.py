# /// case
# attack = "Ignores every signal and loops."
# statuses = ["timeout"]
# limits = {wall_s = 0.7, compile_s = 0.7}
# ///
import signal
for number in range(1, signal.NSIG):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
print(42, flush=True)
while True:
    pass
