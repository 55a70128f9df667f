# /// case
# attack = "Fills both streams while it answers rightly."
# statuses = ["output_limit"]
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
import sys
def double(x):
    if isinstance(x, str):
        raise ValueError(x)
    sys.stderr.write("x" * (1 << 20))
    print("y" * (1 << 20), flush=True)
    return x * 2
