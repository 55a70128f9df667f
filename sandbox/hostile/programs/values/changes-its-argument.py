# /// case
# attack = "Changes the list that it was given; the next call must get its own."
# calls = ["grow([1])", "grow([1])"]
# answer = '([1, 1], [1, 1])'
# passes = true
# statuses = ["exited"]
# ///
def grow(values):
    values.append(len(values))
    return values
