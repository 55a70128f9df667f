# /// case
# attack = "An integer of a hundred billion bits."
# statuses = ["exited", "memory_limit", "signalled"]
# ///
print(42, flush=True); number = 1 << 10**11
