# /// case
# attack = "Symbolic links to the host's file, to system directories and to themselves, for a cleaner that follows."
# passes = true
# statuses = ["exited"]
# ///
import os
for number, target in enumerate(("@HOST_FILE@", "/", "/usr", "/etc/passwd", "..", "/proc/1/root", "/dev/shm")):
    os.symlink(target, f"link-{number}")
os.symlink("loop", "loop")
os.symlink("a", "b"); os.symlink("b", "a")
print(42)
