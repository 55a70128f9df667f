# /// case
# attack = "Offers the processes around it to the kernel as the first to be killed when memory is short."
# parts = ["others"]
# passes = true
# statuses = ["exited"]
# ///
for process in others:
    try:
        with open(f"/proc/{process}/oom_score_adj", "w") as score:
            score.write("1000")
    except OSError:
        pass
print(42)
