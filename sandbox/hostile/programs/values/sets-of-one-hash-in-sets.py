# /// case
# attack = "Returns sets in sets in sets, in which all of a level have one hash."
# calls = ["double(21)"]
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
def double(x):
    values = [-1, -2]
    for _ in range(5):
        values = [frozenset({(a, b)}) for a in values[:8] for b in values[:8]]
    return [set(values), frozenset(values), {(one, one) for one in values}]
