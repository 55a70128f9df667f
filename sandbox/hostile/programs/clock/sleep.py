# /// case
# attack = "Waits an hour."
# statuses = ["timeout"]
# ///
import time; print(42, flush=True); time.sleep(3600)
