# /// case
# attack = "Answers, then asks for one gigabyte and writes to all of it."
# statuses = ["exited", "memory_limit", "signalled"]
# ///
print(42, flush=True); block = bytearray(1 << 30)
