# /// case
# attack = "Leaves a daemon from the compile step that goes on working after the program's time has begun."
# passes = "either"
# compile = "steps/compile-step-leaves-a-daemon.py"
# ///
import os, time
time.sleep(0.3)
print(open("made").read() if os.path.exists("made") else 41)
