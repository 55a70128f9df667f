# /// case
# attack = "Traces and profiles every function called from then on, and changes what they return."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# ///
import sys, threading
def trace(frame, event, argument):
    for name in ("value", "result", "answer", "ok"):
        if name in frame.f_locals:
            frame.f_locals[name] = 42
    return trace
for install in (sys.settrace, sys.setprofile, threading.settrace, threading.setprofile):
    install(trace)
def double(x):
    return 41
