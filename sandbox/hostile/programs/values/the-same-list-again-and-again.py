# /// case
# attack = "Returns a small object that grows to 2 ** 40 elements when it is written out."
# calls = ["double(21)"]
# limits = {wall_s = 1.0}
# ///
def double(x):
    value = [42] * 10
    for _ in range(40):
        value = [value, value]
    return value
