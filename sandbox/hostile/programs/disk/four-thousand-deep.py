# /// case
# attack = "Directories nested deeper than a path can be long and than a recursive cleaner can go."
# passes = "either"
# limits = {file_bytes = 8388608}
# ///
import os
for _ in range(4000):
    os.mkdir("d")
    os.chdir("d")
print(42)
