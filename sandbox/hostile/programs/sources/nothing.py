# /// case
# attack = "Is empty."
# statuses = ["exited"]
# ///
