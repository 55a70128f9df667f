# /// case
# attack = "Closes its input while it is still being written."
# passes = true
# statuses = ["exited"]
# stdin = "x"
# stdin_times = 4194304
# ///
import os, time; os.close(0); time.sleep(0.1); print(42)
