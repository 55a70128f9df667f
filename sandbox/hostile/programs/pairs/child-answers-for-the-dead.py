# /// case
# attack = "Leaves, and lets a child that holds the channel go on answering rightly."
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
import os
child = os.fork()
if child:
    os._exit(0)
def double(x):
    if isinstance(x, str):
        raise ValueError(x)
    return x * 2
