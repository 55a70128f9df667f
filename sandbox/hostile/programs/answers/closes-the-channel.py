# /// case
# attack = "Closes the channel of the answers before its function returns."
# calls = ["double(21)"]
# passes = "either"
# ///
import os
def double(x):
    os.closerange(3, 256)
    return 42
