# /// case
# attack = "Asks for a terabyte, is refused, and answers: the answer was really printed."
# passes = "either"
# statuses = ["exited", "memory_limit", "signalled"]
# ///
try:
    block = "x" * 10**12
except MemoryError:
    pass
print(42)
