# /// case
# attack = "Lists what it was born with: a few pipes and nothing that leads out."
# statuses = ["exited"]
# shows = "HELD"
# ///
import os
for descriptor in sorted(int(name) for name in os.listdir("/proc/self/fd")):
    try:
        target = os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        continue  # the descriptor that listed the directory
    fine = descriptor < 5 and target.startswith(("pipe:", "/dev/null"))
    print("HELD" if fine else "BREACH", descriptor, target)
