# /// case
# attack = "Searches its whole address space, a copy of the fork server's, for what an earlier program left there."
# statuses = ["exited"]
# shows = "HELD"
# ///
import ctypes, re, sys
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # its own memory is its own to read again
pattern = re.compile(b"rlenv-" + b"secret-[0-9a-f]{32}")
found, searched = set(), 0
with open("/proc/self/mem", "rb", 0) as memory:
    for line in open("/proc/self/maps"):
        span, rights = line.split()[:2]
        if "r" not in rights or "[v" in line:
            continue
        start, end = (int(part, 16) for part in span.split("-"))
        try:
            memory.seek(start)
            held = memory.read(end - start)
            searched += len(held)
            found.update(pattern.findall(held))
        except (OSError, OverflowError, MemoryError):
            pass
print("HELD" if searched > 1 << 20 else "not", "searched", searched, "bytes", found)
