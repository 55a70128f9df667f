# /// case
# attack = "Nests one object so deeply that asking for its hash overflows the stack."
# statuses = ["exited", "memory_limit", "signalled", "timeout"]
# limits = {memory_mb = 512}
# ///
import sys
print(42, flush=True)
sys.setrecursionlimit(10**9)
nested = None
for _ in range(3 * 10**6):
    nested = (nested,)
hash(nested)
