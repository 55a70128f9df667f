# /// case
# attack = "Leaves its control group, gives it no limit, or names a program that the host would start for it."
# refused = true
# ///
import glob
def write(path, text):
    with open(path, "w") as file:
        file.write(text)
for name in ("release_agent", "cgroup.procs", "tasks", "memory.limit_in_bytes", "memory.max", "pids.max"):
    for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids", "/cgroup"):
        attempt(f"{root}/{name}", lambda: write(f"{root}/{name}", "0"))
os.makedirs("group", exist_ok=True)
attempt("mount", lambda: kernel("mount", b"none", b"group", b"cgroup", 0, b"memory"))
attempt("mount 2", lambda: kernel("mount", b"none", b"group", b"cgroup2", 0, None))
