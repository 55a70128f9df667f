# /// case
# attack = "Answers the first call and hangs in the second: one right answer is not all of them."
# calls = ["double(21)", "double(4)", "double(5)"]
# answer = '(42, 8, 10)'
# statuses = ["timeout"]
# ///
def double(x):
    while x != 21:
        pass
    return 42
