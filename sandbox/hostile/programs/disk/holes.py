# /// case
# attack = "A sparse file of a petabyte."
# statuses = ["exited", "file_limit"]
# ///
import os
print(42, flush=True)
os.truncate(os.open("sparse", os.O_WRONLY | os.O_CREAT), 1 << 50)
