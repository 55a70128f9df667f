# /// case
# attack = "Answers and then hangs in a function registered for the exit."
# statuses = ["timeout"]
# ///
import atexit, time; atexit.register(time.sleep, 3600); print(42, flush=True)
