# /// case
# attack = "Returns sets whose elements all have one hash, which the judge's side must build."
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
def double(x):
    if isinstance(x, str):
        raise ValueError(x)
    values = [-1, -2]
    for _ in range(4):
        values = [frozenset({(a, b)}) for a in values[:8] for b in values[:8]]
    return [set(values)] * 20
