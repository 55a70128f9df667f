# /// case
# attack = "Writes to the kernel's settings in /proc and /sys."
# refused = true
# ///
def write(path, text):
    with open(path, "w") as file:
        file.write(text)
for path, text in (("/proc/sys/kernel/core_pattern", "|/tmp/x"), ("/proc/sys/kernel/hostname", "x"),
                   ("/proc/sys/vm/overcommit_memory", "1"), ("/proc/sys/kernel/pid_max", "99999"),
                   ("/proc/sys/kernel/ns_last_pid", "100"), ("/proc/sys/fs/mqueue/msg_max", "100"),
                   ("/proc/sysrq-trigger", "h"), ("/proc/self/setgroups", "allow"),
                   ("/proc/1/oom_score_adj", "1000"), ("/sys/kernel/uevent_helper", "/tmp/x"),
                   ("/proc/self/attr/current", "unconfined"), ("/proc/self/loginuid", "0"),
                   ("/proc/1/comm", "x"), ("/proc/1/timerslack_ns", "1"), ("/proc/1/clear_refs", "1")):
    attempt(path, lambda: write(path, text))
