# /// case
# attack = "None: what is right passes."
# passes = true
# ///
def double(x):
    if isinstance(x, str):
        raise ValueError(x)
    return x * 2
