# /// case
# attack = "Registers functions for the exit that fail, register others and print more than the answer."
# ///
import atexit
def more(n):
    if n:
        atexit.register(more, n - 1)
    print(n)
    raise ValueError(n)
atexit.register(more, 5)
print(42)
