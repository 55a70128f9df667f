# /// case
# attack = "Returns two hundred megabytes."
# calls = ["double(21)"]
# limits = {memory_mb = 1024}
# ///
def double(x):
    return 'x' * (200 << 20)
