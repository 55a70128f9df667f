# /// case
# attack = "Overwrites the value of 41 in the interpreter's memory; what it returns is then really 42."
# calls = ["double(21)"]
# passes = "either"
# ///
import ctypes
def double(x):
    address = id(41) + (24 if ctypes.sizeof(ctypes.c_void_p) == 8 else 12)
    ctypes.memset(address, 42, 1)
    return 41
