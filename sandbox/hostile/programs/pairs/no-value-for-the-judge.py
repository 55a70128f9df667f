# /// case
# attack = "Answers with what is no value, nested deeper than it could be read."
# ///
import os
def double(x):
    os.write(3, b"= 0 0.0 " + b"[" * 100000 + b"\n")
    return 42
