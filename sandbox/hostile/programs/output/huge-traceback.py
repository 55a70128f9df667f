# /// case
# attack = "Answers, then raises an error with a message of fifty megabytes."
# statuses = ["exited", "memory_limit", "output_limit"]
# ///
print(42, flush=True)
raise ValueError('x' * (50 << 20))
