# /// case
# attack = "A power of powers that a compiler would have to work out before the program starts."
# passes = "either"
# statuses = ["fair", "syntax_error"]
# limits = {wall_s = 1.0}
# ///
if 0:
    x = 99 ** 99 ** 99 ** 99
print(42)
