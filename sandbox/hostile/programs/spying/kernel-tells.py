# /// case
# attack = "Reads what the kernel tells about other processes and the machine's keys."
# parts = ["read"]
# statuses = ["exited"]
# shows = "HELD"
# ///
import os
for path in ("/proc/keys", "/proc/key-users", "/proc/sched_debug", "/sys/kernel/debug", "/proc/kallsyms",
             "/proc/sysrq-trigger", "/proc/timer_list", "/proc/1/mountinfo", "/proc/1/maps"):
    read(path)
visible = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
print("HELD" if len(visible) < 12 else "BREACH", "processes:", visible)
