# /// case
# attack = "Gives the idle scheduling class to the processes around it."
# parts = ["others"]
# passes = true
# statuses = ["exited"]
# ///
for process in others:
    try:
        os.sched_setscheduler(process, os.SCHED_IDLE, os.sched_param(0))
    except OSError:
        pass
print(42)
