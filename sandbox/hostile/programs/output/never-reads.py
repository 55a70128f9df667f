# /// case
# attack = "Is given megabytes of input and reads none of them."
# passes = true
# statuses = ["exited"]
# stdin = "x"
# stdin_times = 4194304
# ///
print(42)
