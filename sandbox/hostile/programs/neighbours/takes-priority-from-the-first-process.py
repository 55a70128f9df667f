# /// case
# attack = "Gives the lowest priority to the process that every later program is forked from."
# parts = ["others"]
# passes = true
# statuses = ["exited"]
# ///
for process in others:
    try:
        os.setpriority(os.PRIO_PROCESS, process, 19)
    except OSError:
        pass
print(42)
