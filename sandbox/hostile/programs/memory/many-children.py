# /// case
# attack = "Two dozen children that each hold nearly what one process may: twice what a cell has for all of them."
# passes = "either"
# limits = {wall_s = 2.0}
# ///
import os, time
print(42, flush=True)
for _ in range(24):
    try:
        child = os.fork()
    except OSError:
        break
    if child == 0:
        try:
            held = bytearray(b"x") * (96 << 20)
            time.sleep(60)
        finally:
            os._exit(1)
end = time.monotonic() + 1.4
while time.monotonic() < end:
    large = 0
    for process in os.listdir("/proc"):
        try:
            large += int(open(f"/proc/{process}/statm").read().split()[1]) > 90 << 8
        except (OSError, IndexError):
            pass
    if large > 16:
        print("BREACH", large, "children hold 96 MB each at once, in a cell of 1024 MB", flush=True)
    time.sleep(0.05)
