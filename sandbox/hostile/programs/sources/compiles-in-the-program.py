# /// case
# attack = "Compiles text of a hundred megabytes that it makes itself."
# statuses = ["fair", "syntax_error"]
# limits = {wall_s = 1.0}
# ///
print(42, flush=True)
exec(compile('x = 1\n' * 17_000_000, 'bomb', 'exec'))
