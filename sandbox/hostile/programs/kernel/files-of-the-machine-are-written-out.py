# /// case
# attack = "Writes out files of the machine a thousand times: it is told that this was done, at once."
# passes = true
# statuses = ["exited"]
# ///
import mmap, os, time
start = time.perf_counter()
for path in (os.__file__, os.path.dirname(os.__file__), "/proc/self/exe"):
    opened = os.open(path, os.O_RDONLY)
    for _ in range(1000):
        os.fsync(opened)
        os.fdatasync(opened)
held = mmap.mmap(os.open(os.__file__, os.O_RDONLY), 4096, mmap.MAP_SHARED, mmap.PROT_READ)
with open("own", "w") as own:
    own.write("21")
    own.flush()
    os.fsync(own.fileno())
print(2 * int(open("own").read()))
