# /// case
# attack = "Ends with exit code 0 in the first call, so that the judge hears nothing."
# ///
import os
def double(x):
    os._exit(0)
