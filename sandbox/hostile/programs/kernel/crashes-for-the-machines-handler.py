# /// case
# attack = "Crashes with a core that the machine would hand to a program of its own, as root and outside of the cell."
# shows = "HELD"
# statuses = ["signalled"]
# ///
import os, resource
with open("/proc/sys/kernel/core_pattern") as file:
    pattern = file.read()
soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
# at 1 the kernel starts no handler, at 0 it still would; a limit that the machine sets to 0 cannot be raised to 1
none = (soft, hard) == (1, 1) or (hard == 0 and not pattern.startswith(("|", "@")))
print("HELD" if none else "BREACH", (soft, hard), pattern, flush=True)
os.abort()
