# /// case
# attack = "Asks by sigaction that children leave nothing to wait for, and burns two seconds in them."
# limits = {wall_s = 15.0, cpu_s = 0.5, processes = 64}
# statuses = ["timeout"]
# ///
import ctypes, os, time
libc = ctypes.CDLL(None)
action = (ctypes.c_ulong * 20)()
action[17] = 2  # SA_NOCLDWAIT, behind the handler and the mask of 128 bytes
libc.sigaction(17, ctypes.byref(action), None)
end = time.monotonic() + 5
while time.monotonic() < end:
    try:
        child = os.fork()
    except OSError:
        time.sleep(0.01)
        continue
    if child == 0:
        while time.process_time() < 0.05:
            pass
        os._exit(0)
    time.sleep(0.02)
print(42)
