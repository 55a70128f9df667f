# /// case
# attack = "Forks without end."
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# limits = {wall_s = 0.7, compile_s = 0.7}
# ///
import os
print(42, flush=True)
while True:
    try:
        os.fork()
    except OSError:
        pass
