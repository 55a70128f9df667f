# /// case
# attack = "Is no program."
# statuses = ["syntax_error"]
# ///
print(42
