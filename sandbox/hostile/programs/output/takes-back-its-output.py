# /// case
# attack = "Opens the reading end of its own output and takes away what it printed; it never answers."
# statuses = ["timeout"]
# limits = {wall_s = 0.5}
# ///
import os
os.write(1, b"42\n")
try:
    back = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
    os.read(back, 3)
except OSError:
    pass
while True:
    pass
