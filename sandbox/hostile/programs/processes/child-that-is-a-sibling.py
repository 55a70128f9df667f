# /// case
# attack = "Starts a process as a child of its parent: it ends well with the answer printed, while the program hangs."
# statuses = ["timeout"]
# limits = {wall_s = 0.5}
# ///
import ctypes, os, platform, time
libc = ctypes.CDLL(None)
number = {"x86_64": 56, "aarch64": 220}[platform.machine()]
if libc.syscall(number, ctypes.c_long(0x8000 | 17), ctypes.c_long(0), 0, 0, 0) == 0:  # CLONE_PARENT
    os.write(1, b"42\n")
    os._exit(0)
while True:
    time.sleep(1)
