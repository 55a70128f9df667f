# /// case
# attack = "Hides megabytes in the attributes of files, where a count of bytes does not see them."
# passes = "either"
# ///
import os
for number in range(200):
    open(str(number), "w").close()
    try:
        for attribute in range(200):
            os.setxattr(str(number), f"user.{attribute}", bytes(4000))
    except OSError:
        pass
print(42)
