# /// case
# attack = "Puts a link to a system directory where its work directory was."
# passes = true
# statuses = ["exited"]
# ///
import os
work = os.getcwd()
for name in (work, os.path.dirname(work)):
    try:
        os.rename(name, name + ".old")
        os.symlink("/usr", name)
    except OSError:
        pass
print(42)
