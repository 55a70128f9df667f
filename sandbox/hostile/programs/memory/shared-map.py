# /// case
# attack = "A shared anonymous map of one gigabyte, touched page by page."
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# ///
import mmap
print(42, flush=True)
shared = mmap.mmap(-1, 1 << 30)
for page in range(0, 1 << 30, 4096):
    shared[page] = 1
