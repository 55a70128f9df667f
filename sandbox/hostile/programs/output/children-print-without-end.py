# /// case
# attack = "Ends well while its children go on printing."
# passes = "either"
# statuses = ["exited", "output_limit"]
# ///
import os
print(42, flush=True)
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        while True:
            os.write(1, b"noise" * 1000)
