# /// case
# attack = "Blocks in the kernel, in the open of a named pipe."
# statuses = ["timeout"]
# ///
import os; os.mkfifo('pipe'); print(42, flush=True); open('pipe')
