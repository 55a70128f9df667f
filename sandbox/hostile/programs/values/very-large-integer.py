# /// case
# attack = "Returns integers beyond what may be converted to decimal, negative and positive."
# calls = ["double(21)"]
# ///
def double(x):
    return [10**5000, -(10**5000), 1 << 100_000]
