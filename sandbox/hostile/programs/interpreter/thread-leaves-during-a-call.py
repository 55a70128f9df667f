# /// case
# attack = "Lets a thread end the process with exit code 0 while a call is being answered."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# statuses = ["exited"]
# ///
import os, threading
def double(x):
    print(42, flush=True)
    threading.Thread(target=os._exit, args=(0,)).start()
    while True:
        pass
