# /// case
# attack = "Locks the files of the library and the interpreter, so that a later program would wait."
# passes = true
# statuses = ["exited"]
# ///
import fcntl, json, os, sys
files = []
for path in (json.__file__, sys.executable, os.__file__):
    try:
        files.append(os.open(path, os.O_RDONLY))
        fcntl.flock(files[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.fcntl(files[-1], fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError:
        pass
if os.fork() == 0:
    os.setsid()
    while True:
        os.sched_yield()
print(42)
