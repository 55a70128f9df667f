# /// case
# attack = "Overwrites the type of every type in the interpreter's memory."
# ///
import ctypes
print(42, flush=True)
ctypes.memset(id(type), 0xFF, 256)
type(type)
