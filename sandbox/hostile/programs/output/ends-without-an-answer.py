# /// case
# attack = "Leaves with exit code 0 before it says anything."
# statuses = ["exited"]
# ///
import sys
sys.exit(0)
print(41)
