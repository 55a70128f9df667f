# /// case
# attack = "Ends with exit code 0 before the judge asks anything."
# ///
import os; os._exit(0)
