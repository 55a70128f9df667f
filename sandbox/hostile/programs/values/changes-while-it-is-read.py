# /// case
# attack = "Returns a list that a thread goes on changing while it is written out."
# calls = ["double(21)"]
# limits = {wall_s = 1.0}
# ///
import sys, threading
sys.setswitchinterval(1e-6)
shared = [41] * 2000
def change():
    while True:
        shared.append(42)
        del shared[:]
        shared.extend([41] * 2000)
def double(x):
    threading.Thread(target=change, daemon=True).start()
    return shared
