# /// case
# attack = "A timer interrupts it every microsecond, so that nothing it runs ever ends."
# statuses = ["timeout"]
# ///
import signal
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 1e-6, 1e-6)
while True:
    pass
