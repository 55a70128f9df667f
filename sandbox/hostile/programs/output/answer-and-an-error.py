# /// case
# attack = "Answers, then raises."
# statuses = ["exited"]
# ///
print(42)
raise SystemError('after the answer')
