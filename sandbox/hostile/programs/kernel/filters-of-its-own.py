# /// case
# attack = "Puts a filter of its own before the sandbox's, with itself as the one who is asked."
# refused = true
# ///
import struct
code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7FC00000), 8)
class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_void_p)]
program = Filter(1, ctypes.addressof(code))
seccomp = 317 if os.uname().machine == "x86_64" else 277
for operation, flags in ((0, 0), (1, 0), (1, 8), (2, 0), (3, 0)):
    attempt(f"seccomp {operation} {flags}", lambda: kernel(seccomp, operation, flags, ctypes.byref(program)))
attempt("by prctl", lambda: kernel("prctl", 22, 2, ctypes.byref(program), 0, 0))
for number in (444, 445, 446):
    attempt(f"landlock {number}", lambda: kernel(number, None, 0, 1))
