# /// case
# attack = "Makes itself root of a new user namespace, alone and with every other kind, by unshare, clone and clone3."
# refused = true
# parts = ["numbers"]
# ///
CLONE = number(56, 220)
for flag in (0x10000000, 0x10020000, 0x50000000, 0x20000, 0x4000000, 0x8000000, 0x20000000, 0x2000000, 0x80):
    attempt(f"unshare {flag:#x}", lambda: kernel("unshare", flag))
def clone():
    child = kernel(CLONE, 0x10000000 | 17, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
attempt("clone", clone)
def clone3():
    arguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
    child = kernel(435, ctypes.byref(arguments), 88)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
attempt("clone3", clone3)
