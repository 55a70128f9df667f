# /// case
# attack = "Blocks and ignores every signal that can be, then loops."
# statuses = ["timeout"]
# ///
import signal
for number in range(1, signal.NSIG):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
while True:
    pass
