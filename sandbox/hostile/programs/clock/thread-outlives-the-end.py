# /// case
# attack = "Leaves a thread that never ends; the answer was really printed, so the end may count or not."
# passes = "either"
# statuses = ["exited", "timeout"]
# ///
import threading, time
threading.Thread(target=time.sleep, args=(3600,)).start()
print(42, flush=True)
