# /// case
# attack = "Leaves directories without any permission, with files inside."
# passes = true
# statuses = ["exited"]
# ///
import os
os.makedirs("a/b/c")
open("a/b/c/file", "w").close()
for path in ("a/b/c", "a/b", "a", "."):
    os.chmod(path, 0)
print(42)
