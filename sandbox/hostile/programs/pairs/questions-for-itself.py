# /// case
# attack = "Asks the judge's questions itself, in the words of the channel, so as to be asked by itself."
# statuses = ["tampered"]
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
import os
def double(x):
    os.write(3, b'? ["double",[21],{}]\n')
    return 42
