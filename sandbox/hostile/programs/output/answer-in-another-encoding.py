# /// case
# attack = "Prints the answer in UTF-16."
# statuses = ["exited"]
# ///
import sys; sys.stdout.reconfigure(encoding='utf-16'); print(42)
