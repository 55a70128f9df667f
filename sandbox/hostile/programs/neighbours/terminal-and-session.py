# /// case
# attack = "Leaves its session and group, and looks for a terminal to take."
# passes = true
# statuses = ["exited"]
# ///
import fcntl, os, termios
for step in (os.setsid, lambda: os.setpgid(0, 1), lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x"),
             lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), lambda: os.open("/dev/tty", os.O_RDWR)):
    try:
        step()
    except OSError:
        pass
print(42)
