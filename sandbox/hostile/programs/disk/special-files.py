# /// case
# attack = "Leaves a named pipe, and removes its own work directory from below itself."
# passes = true
# statuses = ["exited"]
# ///
import os
os.mkfifo("pipe")
os.mkdir("inner")
os.chdir("inner")
os.rmdir("../inner")
print(42)
