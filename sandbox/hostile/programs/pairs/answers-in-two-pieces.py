# /// case
# attack = "Writes half of a wrong answer before it returns the right one, so that together they are another."
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
import os
def double(x):
    if isinstance(x, str):
        raise ValueError(x)
    os.write(3, b"= 0 0.0 ")
    return x * 2
