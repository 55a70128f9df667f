# /// case
# attack = "Grows until it is stopped."
# statuses = ["exited", "memory_limit", "signalled"]
# ///
print(42, flush=True)
held = []
while True:
    held.append(bytearray(1 << 20))
