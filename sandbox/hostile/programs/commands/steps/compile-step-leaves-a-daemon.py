import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(0.15)
    open("made", "w").write("42")
    time.sleep(60)
