# /// case
# attack = "Recurses in C until the stack ends."
# statuses = ["exited", "memory_limit", "signalled"]
# ///
import sys
print(42, flush=True)
sys.setrecursionlimit(10**9)
class Deep:
    def __getattr__(self, name):
        return repr(getattr(self, name * 1 + "x"))
Deep().a
