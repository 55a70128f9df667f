# /// case
# attack = "Stays below the time of each call, and above that of the session."
# statuses = ["ok", "ok", "timeout", "ended"]
# limits = {wall_s = 1.9, total_wall_s = 2.8}
# alive = false
# ///
import time
time.sleep(1)
# %%
time.sleep(1)
# %%
time.sleep(1)
# %%
6 * 7
