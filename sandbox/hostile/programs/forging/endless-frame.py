# /// case
# attack = "Announces a frame of four gigabytes on every descriptor and sends a little of it, then hangs."
# calls = ["double(21)"]
# limits = {wall_s = 0.5}
# ///
import os, time
def double(x):
    for descriptor in range(3, 64):
        try:
            os.set_blocking(descriptor, False)
            os.write(descriptor, b"\xff\xff\xff\xf0" + b"{" * 4096)
        except OSError:
            pass
    time.sleep(3600)
