# /// case
# attack = "Waits for eight children that burn the processor."
# statuses = ["timeout"]
# ///
import os
print(42, flush=True)
for _ in range(8):
    if os.fork() == 0:
        while True:
            pass
os.wait()
