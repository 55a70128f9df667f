# /// case
# attack = "Fills the channel of the answers without end."
# calls = ["double(21)"]
# limits = {wall_s = 0.5}
# ///
import os
def double(x):
    while True:
        for descriptor in (3, 4, 5):
            try:
                os.write(descriptor, b'{"i": 0, "ok": true, "v": 42, "value": 42}\n' * 1000)
            except OSError:
                pass
