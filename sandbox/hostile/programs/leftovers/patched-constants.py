# /// case
# attack = "Changes the values of small integers and the singleton True in the interpreter's memory."
# passes = "either"
# ///
import ctypes, os
address = id(7) + (24 if ctypes.sizeof(ctypes.c_void_p) == 8 else 12)
ctypes.memset(address, 9, 1)
os.write(1, b"42\n")
