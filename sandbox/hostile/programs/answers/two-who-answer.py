# /// case
# attack = "Forks in the first call; both processes go on answering, one of them rightly: no id may count twice."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# ///
import os
def double(x):
    child = os.fork() if x == 21 else 1
    if child == 0:
        return 42
    return 41
