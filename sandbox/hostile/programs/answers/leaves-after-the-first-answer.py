# /// case
# attack = "Answers the first call, and leaves with exit code 0 in the second."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# statuses = ["exited"]
# ///
import os
def double(x):
    return 42 if x == 21 else os._exit(0)
