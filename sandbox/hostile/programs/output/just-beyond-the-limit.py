# /// case
# attack = "Prints one byte more than it may; what was kept would be the answer."
# answer = "x"
# answer_times = 65536
# statuses = ["output_limit"]
# ///
import os
for _ in range(16):
    os.write(1, b'x' * 4096)
os.write(1, b'x')
