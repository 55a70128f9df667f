# /// case
# attack = "Becomes another program, which prints the answer: what was printed decides."
# passes = "either"
# ///
import os, sys
os.execv(sys.executable, [sys.executable, "-I", "-c", "print(42)"])
