# /// case
# attack = "Compiles with warnings, which go nowhere that is judged."
# passes = true
# statuses = ["exited"]
# ///
print('\d' is '\d' and 42)
