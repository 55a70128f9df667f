# /// case
# attack = "Leaves a daemon that listens on an abstract name, where only a namespace can hide it."
# passes = true
# statuses = ["exited"]
# ///
import os, socket, time
try:
    plug = socket.socket(socket.AF_UNIX)
    plug.bind("\0rlenv")
    plug.listen()
except OSError:
    pass
if os.fork() == 0:
    os.setsid()
    time.sleep(3600)
print(42)
