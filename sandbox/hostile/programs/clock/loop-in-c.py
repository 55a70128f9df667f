# /// case
# attack = "Never gives the interpreter's lock back, so no thread or handler of the same process can stop it."
# statuses = ["timeout"]
# ///
print(sum(range(10**15)))
