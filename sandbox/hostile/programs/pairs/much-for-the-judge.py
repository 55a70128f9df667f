# /// case
# attack = "Returns hundreds of megabytes, which the judge would have to hold."
# limits = {wall_s = 2.0, memory_mb = 1000}
# ///
def double(x):
    return [0] * 10**8
