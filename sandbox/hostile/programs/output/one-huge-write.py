# /// case
# attack = "Answers, then writes a hundred megabytes at once."
# statuses = ["output_limit"]
# ///
import os; os.write(1, b'42\n'); os.write(1, bytes(100 << 20))
