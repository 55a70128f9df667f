# /// case
# attack = "Answers, then loops for ever."
# statuses = ["timeout"]
# shows = "42\n"
# ///
print(42, flush=True)
while True:
    pass
