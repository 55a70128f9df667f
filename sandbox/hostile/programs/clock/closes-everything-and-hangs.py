# /// case
# attack = "Closes all its descriptors, so that whoever waits for end of file thinks it has ended."
# statuses = ["timeout"]
# ///
import os, time; print(42, flush=True); os.closerange(0, 4096); time.sleep(3600)
