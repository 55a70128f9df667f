# /// case
# attack = "Has the kernel send SIGKILL to the processes around it whenever they use the pipes that they share with it."
# statuses = ["timeout"]
# shows = "survived"
# limits = {wall_s = 0.5}
# ///
import fcntl, os, signal, time
for process in (1, os.getppid()):
    for stream in (0, 1, 2, 3):
        try:
            fcntl.fcntl(stream, fcntl.F_SETOWN, process)
            fcntl.fcntl(stream, 10, signal.SIGKILL)  # F_SETSIG
            fcntl.fcntl(stream, fcntl.F_SETFL, fcntl.fcntl(stream, fcntl.F_GETFL) | os.O_ASYNC)
        except OSError:
            pass
    for _ in range(20):
        os.write(1, b"x")
        time.sleep(0.002)
print("survived", flush=True)
time.sleep(60)
