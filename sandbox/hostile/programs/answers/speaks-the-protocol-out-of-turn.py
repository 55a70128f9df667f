# /// case
# attack = "Writes answers to the calls before they are made, then returns others: no call has two answers."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# statuses = ["tampered"]
# ///
import os
os.write(3, b"= 0 0.000001 42\n= 1 0.000001 8\n")
def double(x):
    return 41
