# /// case
# attack = "Prints its environment and that of every process it can see."
# parts = ["read"]
# statuses = ["exited"]
# ///
import os
print(dict(os.environ), flush=True)
for process in sorted(name for name in os.listdir("/proc") if name.isdigit()):
    read(f"/proc/{process}/environ")
    read(f"/proc/{process}/cmdline")
