# /// case
# attack = "Returns four megabytes for every question."
# limits = {wall_s = 4.0, memory_mb = 256}
# ///
def double(x):
    if isinstance(x, str):
        raise ValueError("x" * (4 << 20))
    return "y" * (3 << 20) if x == 21 else x * 2
