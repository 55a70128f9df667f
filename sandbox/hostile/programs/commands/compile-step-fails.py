# /// case
# attack = "Does not compile, and leaves a program of before to be run."
# statuses = ["syntax_error"]
# compile = "steps/compile-step-fails.py"
# ///
print(42)
