# /// case
# attack = "Ignores SIGCHLD, becomes another interpreter that would inherit this, and burns in its children."
# limits = {wall_s = 15.0, cpu_s = 0.5, processes = 64}
# statuses = ["timeout"]
# ///
import os, signal, sys
try:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
except OSError:
    pass
code = '''
import os, time
for _ in range(400):
    try:
        if os.fork() == 0:
            while time.process_time() < 0.02:
                pass
            os._exit(0)
    except OSError:
        pass
    time.sleep(0.01)
print(42)
'''
os.execv("/proc/self/exe", ["python3", "-I", "-c", code])
