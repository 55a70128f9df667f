# /// case
# attack = "Prints a wrong answer and escapes that would hide it on a terminal."
# statuses = ["exited"]
# ///
print('41\x1b[2K\x1b[1G\r\x0842')
