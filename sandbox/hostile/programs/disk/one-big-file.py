# /// case
# attack = "Answers, then writes one file past the limit."
# statuses = ["file_limit"]
# ///
print(42, flush=True)
with open("big", "wb") as file:
    while True:
        file.write(bytes(65536))
