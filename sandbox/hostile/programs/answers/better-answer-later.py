# /// case
# attack = "Answers wrongly, then lets a child go through all the calls again and answer rightly."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# ///
import os, time
state = {"right": False}
def double(x):
    if x == 21 and not state["right"]:
        if os.fork() == 0:
            time.sleep(0.05)
            state["right"] = True
        else:
            return 41
    return x * 2 if state["right"] else 0
