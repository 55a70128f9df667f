# /// case
# attack = "Writes on the channel of a harness that it does not have."
# statuses = ["exited", "tampered"]
# ///
import os
for descriptor in range(3, 64):
    try:
        os.write(descriptor, b"! run\n= 0 0.0 42\n+ 42\n")
    except OSError:
        pass
