# /// case
# attack = "Prints exactly as many bytes as it may."
# answer = "x"
# answer_times = 65536
# passes = true
# statuses = ["exited"]
# ///
import os
for _ in range(16):
    os.write(1, b'x' * 4096)
