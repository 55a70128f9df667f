# /// case
# attack = "Directories nested deeply, each closed behind it."
# passes = "either"
# limits = {file_bytes = 8388608}
# ///
import os
for _ in range(600):
    os.mkdir("d" * 200)
    above = os.open(".", os.O_RDONLY)
    os.chdir("d" * 200)
    os.fchmod(above, 0)
    os.close(above)
print(42)
