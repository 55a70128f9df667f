# /// case
# attack = "Makes every clock of its interpreter stand still."
# statuses = ["timeout"]
# ///
import time
for name in ("time", "monotonic", "perf_counter", "process_time", "time_ns", "monotonic_ns"):
    setattr(time, name, lambda: 0)
time.sleep = lambda seconds: None
while True:
    pass
