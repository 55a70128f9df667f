# /// case
# attack = "Moves the processes around it to other processors."
# parts = ["others"]
# passes = true
# statuses = ["exited"]
# ///
for process in others:
    for processor in range(64):
        try:
            os.sched_setaffinity(process, {processor})
        except OSError:
            pass
print(42)
