# /// case
# attack = "Stops itself, so that it uses no time and never ends."
# statuses = ["timeout"]
# ///
import os, signal; print(42, flush=True); os.kill(os.getpid(), signal.SIGSTOP)
