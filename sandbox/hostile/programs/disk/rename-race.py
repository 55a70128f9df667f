# /// case
# attack = "Daemons that swap a file, a directory and a link under one name without end, while the cleaner runs."
# passes = true
# statuses = ["exited"]
# ///
import os
os.mkdir("directory")
open("directory/file", "w").close()
os.symlink("/usr", "link")
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        while True:
            for one in ("directory", "link"):
                try:
                    os.rename(one, "output")
                    os.rename("output", one)
                except OSError:
                    pass
print(42)
