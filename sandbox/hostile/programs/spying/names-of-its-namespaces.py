# /// case
# attack = "Asks its namespaces for their parents and owners, and for the processes in them."
# refused = true
# ///
for kind in ("user", "pid", "net", "mnt", "ipc", "uts", "cgroup"):
    try:
        opened = os.open(f"/proc/self/ns/{kind}", os.O_RDONLY)
    except OSError as error:
        print("HELD", kind, error.strerror)
        continue
    for request in (0xB701, 0xB702, 0x8004B704, 0x8004B706, 0x8004B708):
        attempt(f"{kind} {request:#x}", lambda: kernel("ioctl", opened, request, 0))
handle = os.pidfd_open(os.getpid())
for request in (0xFF01, 0xFF02, 0xFF04, 0xFF06, 0xFF09):
    attempt(f"by the process {request:#x}", lambda: kernel("ioctl", handle, request, 0))
