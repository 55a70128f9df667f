# /// case
# attack = "Asks in every file of /proc that is its parents' own: maps, registers, waits, descriptors, limits."
# refused = true
# ///
for process in (1, os.getppid()):
    for name in ("fd", "map_files", "fdinfo", "task/1/fd"):
        def listed():
            found = os.listdir(f"/proc/{process}/{name}")
            return [os.readlink(f"/proc/{process}/{name}/{entry}") for entry in found]
        attempt(f"{process} {name}", listed)
    for name in ("pagemap", "smaps", "numa_maps", "auxv", "stack", "personality", "syscall", "timers"):
        def read():
            with open(f"/proc/{process}/{name}", "rb", 0) as file:
                if not file.read(64):
                    raise OSError("empty")
        attempt(f"{process} {name}", read)
    for name in ("root", "cwd", "exe"):
        attempt(f"{process} {name}", lambda: os.readlink(f"/proc/{process}/{name}"))
