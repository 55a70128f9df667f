# /// case
# attack = "Sets its standard streams to non-blocking, small and signal-driven, which whoever shares them sees too."
# passes = true
# statuses = ["exited"]
# ///
import fcntl, os, signal
for stream in (0, 1, 2):
    for step in (lambda: os.set_blocking(stream, False), lambda: fcntl.fcntl(stream, 1031, 4096),
                 lambda: fcntl.fcntl(stream, fcntl.F_SETOWN, os.getppid()),
                 lambda: fcntl.fcntl(stream, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)):
        try:
            step()
        except OSError:
            pass
os.write(1, b"42\n")
