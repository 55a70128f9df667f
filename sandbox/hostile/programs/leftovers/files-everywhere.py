# /// case
# attack = "Leaves files wherever it may write."
# passes = true
# statuses = ["exited"]
# ///
import os
for root, names, _ in os.walk("/"):
    names[:] = [name for name in names if os.path.join(root, name) not in ("/proc", "/usr", "/sys")]
    for name in ("note", ".hidden", "\n"):
        try:
            open(os.path.join(root, name), "w").close()
        except OSError:
            pass
print(42)
