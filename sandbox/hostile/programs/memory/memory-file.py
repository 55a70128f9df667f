# /// case
# attack = "Files that live only in memory and belong to no process's address space."
# limits = {wall_s = 1.0}
# ///
import os
print(42, flush=True)
files = []
while True:
    files.append(os.memfd_create("held"))
    try:
        for _ in range(64):
            os.write(files[-1], bytes(1 << 20))
    except OSError:
        pass
