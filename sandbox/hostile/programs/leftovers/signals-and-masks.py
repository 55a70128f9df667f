# /// case
# attack = "Leaves signals blocked and ignored, timers armed and files masked."
# passes = true
# statuses = ["exited"]
# ///
import os, signal, sys
os.umask(0)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD, signal.SIGUSR1):
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
signal.setitimer(signal.ITIMER_REAL, 30, 0.001)
sys.setrecursionlimit(60)
sys.setswitchinterval(100)
print(42)
