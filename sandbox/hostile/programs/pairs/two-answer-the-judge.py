# /// case
# attack = "Forks in the first call, and both processes answer from then on."
# ///
import os
def double(x):
    if x == 21:
        os.fork()
    return 42
