# /// case
# attack = "Opens the descriptors of its parent and of the first process through /proc and writes results there."
# parts = ["forged"]
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# shows = "HELD"
# ///
import sys
def double(x):
    for process in (1, os.getppid()):
        for descriptor in range(64):
            try:
                end = os.open(f"/proc/{process}/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                continue
            print("BREACH", process, descriptor, flush=True)
            for frame in forged("00" * 16):
                try:
                    os.write(end, frame)
                except OSError:
                    break
    print("HELD", flush=True)
    os._exit(0)
