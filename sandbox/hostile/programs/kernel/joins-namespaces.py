# /// case
# attack = "Enters the namespaces of the processes around it."
# refused = true
# ///
for process in (1, os.getppid()):
    for kind in ("user", "mnt", "net", "pid", "ipc", "uts", "cgroup"):
        path = f"/proc/{process}/ns/{kind}"
        attempt(path, lambda: kernel("setns", os.open(path, os.O_RDONLY), 0))
