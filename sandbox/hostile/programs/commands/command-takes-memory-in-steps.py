# /// case
# attack = "Takes memory in children that each stay within the limit, until the cell has none left."
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# ///
import os, time
for _ in range(16):
    if os.fork() == 0:
        block = bytearray(b"x") * (100 << 20)
        time.sleep(60)
time.sleep(0.8)
large = 0
for process in os.listdir("/proc"):
    try:
        large += int(open(f"/proc/{process}/statm").read().split()[1]) > 90 << 8
    except (OSError, IndexError):
        pass
if large > 13:
    print("BREACH", large, "children hold 100 MB each at once, in a cell of 1024 MB")
