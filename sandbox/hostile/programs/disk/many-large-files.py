# /// case
# attack = "Fills the disk with files that are each within the limit, until it is full."
# limits = {file_bytes = 8388608}
# ///
import os
print(42, flush=True)
written = 0
for number in range(4096):
    with open(str(number), "wb") as file:
        written += file.write(bytes(1 << 20))
print("BREACH", written)
