# /// case
# attack = "Has the kernel send a signal when somebody reads or changes a folder of the machine."
# refused = true
# ///
import fcntl
for folder in ("/usr/bin", "/usr/lib", "/tmp", "."):
    opened = os.open(folder, os.O_RDONLY)
    for events in (0x1, 0x2, 0x8000003F):
        attempt(f"F_NOTIFY {folder}", lambda: fcntl.fcntl(opened, 1026, events))
    attempt("F_SETSIG", lambda: fcntl.fcntl(opened, 10, 34))
    attempt("F_SETOWN", lambda: fcntl.fcntl(opened, 8, os.getpid()))
