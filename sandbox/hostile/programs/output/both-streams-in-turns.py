# /// case
# attack = "Writes a little to each stream in turns, so that a reader of one at a time would block."
# statuses = ["output_limit"]
# ///
import os
while True:
    os.write(2, b"e" * 70000)
    os.write(1, b"o" * 70000)
