# /// case
# attack = "Forks without end."
# limits = {wall_s = 0.7}
# ///
import os
print(42, flush=True)
while True:
    try:
        os.fork()
    except OSError:
        pass
