# /// case
# attack = "Writes to standard input and reads it back, to make up the input it was given."
# passes = true
# statuses = ["exited"]
# stdin = "21\n"
# ///
import os
try:
    end = os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK)
    os.write(end, b"42\n")
    os.close(end)
except OSError:
    pass
print(int(input()) * 2)
