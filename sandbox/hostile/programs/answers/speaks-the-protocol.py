# /// case
# attack = "Writes its answers itself, exactly as the harness would, and leaves: they are its answers, right or wrong."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# passes = "either"
# ///
import os
os.write(3, b"! run\n= 0 0.000001 42\n= 1 0.000001 8\n")
os._exit(0)
