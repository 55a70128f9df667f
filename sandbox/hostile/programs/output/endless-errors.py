# /// case
# attack = "Answers, then fills standard error without end."
# statuses = ["output_limit"]
# ///
import sys
print(42, flush=True)
while True:
    sys.stderr.write('x' * 4096)
