# /// case
# attack = "Returns sets of tuples that are long, differ only at their end, and all have one hash."
# calls = ["double(21)"]
# limits = {wall_s = 5.0}
# ///
def double(x):
    common = tuple(range(1000, 3000))
    return [{common + (n * (2**61 - 1),) for n in range(100)} for _ in range(3)]
