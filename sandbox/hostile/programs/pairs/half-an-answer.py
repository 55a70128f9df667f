# /// case
# attack = "Writes half of an answer and ends."
# ///
import os
def double(x):
    os.write(3, b"= 0 0.0 4")
    os._exit(0)
