# /// case
# attack = "Takes leases of files, whose owner is told when somebody opens them, and makes him wait."
# refused = true
# ///
import fcntl
open("own", "w").close()
for path in ("own", os.__file__, "/proc/self/exe"):
    opened = os.open(path, os.O_RDONLY)
    for kind in (0, 1):
        attempt(f"F_SETLEASE {path} {kind}", lambda: fcntl.fcntl(opened, 1024, kind))
