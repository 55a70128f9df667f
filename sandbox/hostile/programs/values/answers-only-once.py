# /// case
# attack = "Counts its calls and answers rightly only the first time: every test counts."
# calls = ["double(21)", "double(21)"]
# statuses = ["exited"]
# ///
calls = []
def double(x):
    calls.append(x)
    return 42 if len(calls) == 1 else 41
