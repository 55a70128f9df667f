# /// case
# attack = "Kills every process that it may."
# ///
import os, signal; print(42, flush=True); os.kill(-1, signal.SIGKILL); os.kill(os.getpid(), 9)
