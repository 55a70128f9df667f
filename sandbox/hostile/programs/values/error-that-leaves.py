# /// case
# attack = "Raises an error whose text leaves the process with exit code 0 when it is asked for."
# calls = ["double(21)", "double(21)"]
# ///
import os
class Leave(Exception):
    __str__ = __repr__ = lambda self: os._exit(0)
def double(x):
    raise Leave
