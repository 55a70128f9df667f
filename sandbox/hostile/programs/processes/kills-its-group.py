# /// case
# attack = "Kills its own process group."
# statuses = ["signalled"]
# ///
import os, signal; print(42, flush=True); os.killpg(0, signal.SIGKILL)
