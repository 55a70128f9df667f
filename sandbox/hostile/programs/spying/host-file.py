# /// case
# attack = "Reads a file of the host by its path, through every process's root and by climbing out of its own."
# parts = ["read"]
# statuses = ["exited"]
# shows = "HELD"
# ///
import os
path = "@HOST_FILE@"
read(path)
for process in ["self", "1", str(os.getppid()), "thread-self"]:
    read(f"/proc/{process}/root{path}")
    read(f"/proc/{process}/cwd/../../../../../../..{path}")
read("../" * 40 + path.lstrip("/"))
for descriptor in range(256):
    read(f"/proc/self/fd/{descriptor}/../../../../../../../..{path}")
