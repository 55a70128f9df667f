# /// case
# attack = "Leaves twenty dead children that it never waits for."
# passes = true
# statuses = ["exited"]
# ///
import os
for _ in range(20):
    try:
        if os.fork() == 0:
            os._exit(0)
    except OSError:
        break
print(42)
