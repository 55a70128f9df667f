# /// case
# attack = "Answers, then dies by SIGKILL: a program that was killed has not passed."
# statuses = ["signalled"]
# ///
import os; print(42, flush=True); os.kill(os.getpid(), 9)
