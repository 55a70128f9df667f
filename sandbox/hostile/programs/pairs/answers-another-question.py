# /// case
# attack = "Answers under numbers that were not asked."
# ///
import os
def double(x):
    os.write(3, b"= 7 0.0 42\n")
    return 42
