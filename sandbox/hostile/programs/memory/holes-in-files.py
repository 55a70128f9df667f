# /// case
# attack = "Makes holes in files, maps them and fills the maps past the end of the disk."
# limits = {wall_s = 6.0, memory_mb = 128}
# statuses = ["exited", "file_limit", "memory_limit", "signalled"]
# ///
import mmap, os
print(42, flush=True)
files = []
while True:
    files.append(open(str(len(files)), "w+b"))
    os.ftruncate(files[-1].fileno(), 8 << 20)
    held = mmap.mmap(files[-1].fileno(), 8 << 20)
    for page in range(0, 8 << 20, 4096):
        held[page] = 1
    held.close()
