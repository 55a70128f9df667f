# /// case
# attack = "File names of line breaks, quotes, escapes, invalid UTF-8 and the longest there may be."
# passes = true
# statuses = ["exited"]
# ///
import os
for name in (b"a\nb", b"-rf", b"--", b"\xff\xfe", b"*", b"$(id)", b"'\"", b"\x1b[2J",
             b" ", b"x" * 255, b"..."):
    with open(name, "w"):
        pass
    os.mkdir(name[:250] + b".d")
print(42)
