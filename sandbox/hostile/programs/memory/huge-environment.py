# /// case
# attack = "Becomes another program with an environment of a hundred megabytes."
# statuses = ["exited", "memory_limit", "signalled"]
# ///
import os, sys
print(42, flush=True)
os.execve(sys.executable, [sys.executable, "-c", "print(42)"], {str(n): "x" * 100_000 for n in range(1000)})
