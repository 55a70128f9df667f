# /// case
# attack = "A constant expression of half a gigabyte, which a compiler that folds constants would work out."
# statuses = ["exited", "memory_limit", "signalled", "syntax_error", "timeout"]
# ///
print(42, flush=True)
x = ((((('x' * 4000) * 4000) * 4000) * 4000))
