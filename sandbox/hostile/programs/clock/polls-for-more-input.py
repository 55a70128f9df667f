# /// case
# attack = "Asks again and again for input that has ended."
# statuses = ["timeout"]
# stdin = "21\n"
# ///
import sys
while True:
    sys.stdin.readline()
