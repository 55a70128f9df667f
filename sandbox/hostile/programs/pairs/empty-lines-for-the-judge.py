# /// case
# attack = "Writes nothing but line ends."
# limits = {wall_s = 1.0, memory_mb = 256}
# statuses = ["exited", "output_limit", "signalled", "tampered", "timeout"]
# ///
import os
def double(x):
    while True:
        os.write(3, b"\n" * 4096)
