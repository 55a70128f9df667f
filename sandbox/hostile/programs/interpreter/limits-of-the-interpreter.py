# /// case
# attack = "Turns down every limit of the interpreter, so that the harness can neither recurse nor write numbers."
# calls = ["double(21)"]
# ///
import gc, sys
def double(x):
    sys.setrecursionlimit(len(__import__("inspect").stack()) + 8)
    sys.setswitchinterval(1000.0)
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(640)
    gc.disable()
    return [[[[[[[[[[[[[[[[[[[[10**2000]]]]]]]]]]]]]]]]]]]]
