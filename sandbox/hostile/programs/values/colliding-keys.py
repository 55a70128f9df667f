# /// case
# attack = "Returns a dict whose keys all have one hash."
# calls = ["double(21)"]
# limits = {wall_s = 5.0}
# ///
def double(x):
    return {n * (2**61 - 1): 0 for n in range(1, 4000)}
