# /// case
# attack = "Files that have no name any more and still fill the disk, kept open by a daemon."
# passes = true
# statuses = ["exited"]
# limits = {file_bytes = 8388608}
# ///
import os, time
for number in range(8):
    file = os.open("gone", os.O_RDWR | os.O_CREAT)
    os.unlink("gone")
    os.write(file, bytes(1 << 20))
if os.fork() == 0:
    os.setsid()
    time.sleep(3600)
print(42)
