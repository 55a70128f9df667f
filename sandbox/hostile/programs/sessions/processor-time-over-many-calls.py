# /// case
# attack = "Uses up processor time in children that nobody waits for, a little in each call."
# statuses = ["ok", "ok|timeout", "timeout|ended", "ended"]
# limits = {cpu_s = 0.5}
# alive = false
# ///
import os, time
def burn():
    for _ in range(2):
        if os.fork() == 0:
            end = time.process_time() + 0.15
            while time.process_time() < end:
                pass
            os._exit(0)
    time.sleep(0.4)
burn()
# %%
burn()
# %%
burn()
# %%
burn()
