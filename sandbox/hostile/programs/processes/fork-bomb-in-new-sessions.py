# /// case
# attack = "Forks without end, each child in a session of its own and orphaned at once."
# limits = {wall_s = 0.7}
# ///
import os
print(42, flush=True)
while True:
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
    except OSError:
        pass
