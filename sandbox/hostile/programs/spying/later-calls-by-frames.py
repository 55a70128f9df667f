# /// case
# attack = "Looks for the arguments of calls that are still to come; only arguments may be there, never answers."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# passes = true
# statuses = ["exited"]
# ///
import gc
def double(x):
    return x * 2
