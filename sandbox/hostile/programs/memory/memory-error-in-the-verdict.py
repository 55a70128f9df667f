# /// case
# attack = "Leaves so little memory that whatever runs after it in its process must fail to write the answer."
# calls = ["double(21)", "double(21)"]
# passes = "either"
# ///
held = []
def double(x):
    size = 1 << 24
    while size:
        try:
            held.append(bytearray(size))
        except MemoryError:
            size >>= 1
    return x * 2
