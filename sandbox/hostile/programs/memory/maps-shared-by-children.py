# /// case
# attack = "Children that each touch a shared map of their own and leave it to the next."
# passes = "either"
# limits = {wall_s = 1.0}
# ///
import mmap, os
print(42, flush=True)
maps = []
while True:
    maps.append(mmap.mmap(-1, 64 << 20))
    if os.fork() == 0:
        for page in range(0, 64 << 20, 4096):
            maps[-1][page] = 1
    else:
        os.wait()
        os._exit(0)
