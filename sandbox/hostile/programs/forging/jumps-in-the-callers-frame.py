# /// case
# attack = "Traces its caller and makes it jump to another line."
# calls = ["double(21)", "double(4)"]
# answer = '(42, 8)'
# ///
import sys
def double(x):
    def trace(frame, event, argument):
        if event == "line":
            try:
                frame.f_lineno = frame.f_lineno + 1
            except ValueError:
                pass
        return trace
    frame = sys._getframe().f_back
    sys.settrace(trace)
    while frame is not None:
        frame.f_trace = trace
        frame = frame.f_back
    return 41
