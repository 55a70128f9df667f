# /// case
# attack = "Returns ranges that are nothing to write and that no machine could list."
# calls = ["double(0)", "double(1)", "double(2)"]
# answer = '([0], [0, 1], [0, 1, 2])'
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
def double(x):
    return [range(10**4000), range(0, 10**30, 10**29), range(10**18), range(5, 5, -(10**4000))][x]
