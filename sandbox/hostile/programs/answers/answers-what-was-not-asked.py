# /// case
# attack = "Answers calls with numbers that do not exist: negative, beyond the last, not a number."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# statuses = ["tampered"]
# ///
import os
def double(x):
    for number in (b"-1", b"2", b"99999999999999999999", b"+0", b"0x0", b"1e0", b"\xd9\xa0", b"", b" "):
        os.write(3, b"= " + number + b" 0.0 42\n")
    return x * 2
