# /// case
# attack = "Prints without end."
# statuses = ["output_limit"]
# ///
while True:
    print(42)
