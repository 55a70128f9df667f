# /// case
# attack = "Is no program, and functions of it are called."
# calls = ["double(21)"]
# statuses = ["syntax_error"]
# ///
def double(x) 42
