# /// case
# attack = "Takes five times its memory and stays there."
# statuses = ["exited", "memory_limit", "signalled"]
# ///
import time
print(42, flush=True)
block = bytearray(b"x") * (640 << 20)
time.sleep(0.5)
print("BREACH", len(block))
