# /// case
# attack = "Children whose names hold parentheses, spaces and line breaks, to mislead whoever reads /proc."
# passes = true
# statuses = ["exited"]
# ///
import ctypes, os, time
libc = ctypes.CDLL(None)
for number, name in enumerate((b") R 1 1 1 (", b"a\nb 0 kB", b") Z 0 0", b"\xff\xfe \x01", b"VmRSS: 9")):
    if os.fork() == 0:
        libc.prctl(15, name, 0, 0, 0)
        held = bytearray(20 << 20)
        time.sleep(0.3)
        os._exit(0)
time.sleep(0.2)
print(42)
