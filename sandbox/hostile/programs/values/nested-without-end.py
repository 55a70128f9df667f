# /// case
# attack = "Returns a list nested a hundred thousand deep."
# calls = ["double(21)"]
# ///
def double(x):
    nested = [42]
    for _ in range(100_000):
        nested = [nested]
    return nested
