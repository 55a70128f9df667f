# /// case
# attack = "Answers, closes its output and hides the failure to flush."
# ///
import os, sys; sys.stdout.write('42\n'); os.close(1); sys.stdout = None
