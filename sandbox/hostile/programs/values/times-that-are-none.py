# /// case
# attack = "Answers rightly after a time that is no number, endless or before the beginning; the time is its own word."
# calls = ["double(1)"]
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
import os
def double(x):
    words = (b"nan", b"inf", b"-inf", b"-1", b"1e999", b"1_0", b"0x1", b"", b"1 1", b"\xd9\xa1")
    os.write(3, b"! run\n= 0 " + words[x] + b" 41\n")
    os._exit(0)
