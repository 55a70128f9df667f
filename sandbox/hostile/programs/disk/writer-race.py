# /// case
# attack = "Daemons that make files as fast as a cleaner can remove them."
# passes = true
# statuses = ["exited"]
# ///
import os
for worker in range(3):
    if os.fork() == 0:
        os.setsid()
        number = 0
        while True:
            number += 1
            for where in (".", "/tmp", "/dev/shm"):
                try:
                    open(f"{where}/{worker}-{number % 50}", "w").close()
                except OSError:
                    pass
print(42)
