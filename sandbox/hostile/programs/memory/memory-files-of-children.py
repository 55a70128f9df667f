# /// case
# attack = "Eight children that each hold sixty memory files of four megabytes: no process has them in its address space."
# ///
import os, time
ready, told = os.pipe()
for _ in range(8):
    if os.fork() == 0:
        held = 0
        try:
            for _ in range(50):
                file = os.memfd_create("held")
                held += os.write(file, bytes(4 << 20))
        finally:
            os.write(told, bytes([held >> 20 & 0xFF]))
            time.sleep(60)
held = sum(os.read(ready, 1)[0] for _ in range(8))
time.sleep(0.2)
if held > 1200:
    print("BREACH", held, "MB in memory files at once, in a cell of 1024 MB", flush=True)
