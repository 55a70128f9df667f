# /// case
# attack = "Answers and ends with an error: the exit code counts."
# statuses = ["exited"]
# ///
import sys; print(42); sys.exit(3)
