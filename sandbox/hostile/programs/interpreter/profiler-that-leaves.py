# /// case
# attack = "Leaves the process with exit code 0 as soon as the harness calls anything of its own."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# statuses = ["exited"]
# ///
import os, sys
def double(x):
    print(42, flush=True)
    sys.setprofile(lambda frame, event, argument: os._exit(0))
    return 41
