# /// case
# attack = "Asks for real time, for a better priority and for less risk when memory is short."
# refused = true
# ///
attempt("nice", lambda: os.nice(-5))
attempt("real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
def score():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-900")
attempt("memory score", score)
attempt("locked memory", lambda: kernel("mlockall", 3))
