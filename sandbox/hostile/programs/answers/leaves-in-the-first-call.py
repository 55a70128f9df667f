# /// case
# attack = "Leaves with exit code 0 in its first call: an answer that never came is not right."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# statuses = ["exited"]
# ///
import os
def double(x):
    os._exit(0)
