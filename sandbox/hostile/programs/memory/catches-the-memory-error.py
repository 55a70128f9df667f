# /// case
# attack = "Grows, catches the error, and goes on growing."
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# limits = {wall_s = 1.0}
# ///
print(42, flush=True)
held = []
while True:
    try:
        held.append(bytearray(1 << 20))
    except MemoryError:
        pass
