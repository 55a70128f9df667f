# /// case
# attack = "Leaves the process with exit code 0, past every handler."
# statuses = ["exited"]
# ///
import os; os._exit(0)
