# /// case
# attack = "Shows a sign of life every few milliseconds, so that a clock that restarts with it never runs out."
# statuses = ["timeout"]
# ///
import time
while True:
    print(42, flush=True)
    time.sleep(0.02)
