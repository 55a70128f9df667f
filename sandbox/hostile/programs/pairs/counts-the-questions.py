# /// case
# attack = "Answers the first question rightly and guesses the others, from the order in which judges ask."
# statuses = ["exited"]
# limits = {wall_s = 3.0, memory_mb = 256}
# ///
answers = iter([42, 10, -8])
def double(x):
    if isinstance(x, str):
        raise ValueError(x)
    return next(answers)
