# /// case
# attack = "One multiplication of huge integers that runs for hours."
# statuses = ["exited", "memory_limit", "timeout"]
# ///
print(9 ** 9 ** 9 % 10)
