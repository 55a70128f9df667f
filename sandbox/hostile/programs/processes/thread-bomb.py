# /// case
# attack = "Starts threads until no more are given, and keeps them."
# limits = {wall_s = 0.7}
# ///
import threading, time
print(42, flush=True)
threading.stack_size(65536)
while True:
    try:
        threading.Thread(target=time.sleep, args=(3600,)).start()
    except RuntimeError:
        pass
