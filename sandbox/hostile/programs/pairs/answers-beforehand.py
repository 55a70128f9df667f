# /// case
# attack = "Writes answers to all questions before it hears the first; they do not fit."
# ///
import os
os.write(3, b"= 0 0.0 42\n= 1 0.0 42\n= 2 0.0 42\n= 3 0.0 42\n")
def double(x):
    return 42
