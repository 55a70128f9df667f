# /// case
# attack = "Becomes another program that keeps the channel open and hangs."
# calls = ["double(21)"]
# statuses = ["timeout"]
# limits = {wall_s = 0.5}
# ///
import os, sys
def double(x):
    for descriptor in range(3, 64):
        try:
            os.set_inheritable(descriptor, True)
        except OSError:
            pass
    code = "import time; print(42, flush=True); time.sleep(3600)"
    os.execv(sys.executable, [sys.executable, "-I", "-c", code])
