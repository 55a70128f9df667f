# /// case
# attack = "Answers, then aborts."
# statuses = ["signalled"]
# ///
import os; print(42, flush=True); os.abort()
