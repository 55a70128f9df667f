# /// case
# attack = "Turns off the randomness of its addresses, and asks for ports of the machine."
# refused = true
# ///
attempt("personality", lambda: kernel("personality", 0x0040000))
if hasattr(libc, "iopl"):
    attempt("iopl", lambda: kernel("iopl", 3))
    attempt("ioperm", lambda: kernel("ioperm", 0x80, 1, 1))
