# /// case
# attack = "Prints the answer in digits of another script."
# statuses = ["exited"]
# ///
print('\uff14\uff12')
