# /// case
# attack = "Objects whose finalisers print a second answer, raise and come back to life while the interpreter ends."
# passes = true
# statuses = ["exited"]
# ///
import gc, sys
kept = []
class Phoenix:
    def __del__(self):
        kept.append(self)
        raise ValueError("again")
for _ in range(100):
    ring = Phoenix()
    ring.self = ring
del ring
gc.callbacks.append(lambda *_: kept.clear())
print(42)
