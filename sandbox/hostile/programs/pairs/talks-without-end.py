# /// case
# attack = "Fills the channel of the answers before it is asked anything."
# limits = {wall_s = 0.7}
# ///
import os
while True:
    os.write(3, b"= 0 0.0 42\n" * 1000)
