# /// case
# attack = "Returns a generator that never ends, and an iterator of others."
# calls = ["double(21)"]
# statuses = ["exited"]
# ///
import itertools
def double(x):
    return itertools.count(42)
