# /// case
# attack = "Lets a thread print the answer after the main one has ended, as Python allows."
# passes = true
# statuses = ["exited"]
# ///
import threading, time
def late():
    time.sleep(0.1)
    print(42)
threading.Thread(target=late).start()
