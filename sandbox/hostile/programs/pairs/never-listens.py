# /// case
# attack = "Closes the channel of the questions and hangs."
# limits = {wall_s = 0.7}
# ///
import os, time
os.close(4)
time.sleep(3600)
