# /// case
# attack = "Sets the clocks forward and back, so that a call seems to take less than no time."
# calls = ["double(21)"]
# passes = true
# statuses = ["exited"]
# limits = {wall_s = 3.0}
# ///
import time
for name in ("time", "monotonic", "perf_counter", "process_time"):
    setattr(time, name, lambda readings=[0.0]: readings.append(readings[-1] - 1e9) or readings[-1])
def double(x):
    return x * 2
