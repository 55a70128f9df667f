# /// case
# attack = "Takes places for asynchronous input, of which the machine has one number for all."
# refused = true
# ///
def taken():
    with open("/proc/sys/fs/aio-nr") as file:
        return int(file.read())
before, context = taken(), ctypes.c_ulong()
setup, destroy, events, submit, cancel = ((206, 207, 208, 209, 210) if os.uname().machine == "x86_64" else (0, 1, 4, 2, 3))
for size in (1, 128, 60000):
    attempt(f"io_setup {size}", lambda: kernel(setup, size, ctypes.byref(context)))
attempt("io_submit", lambda: kernel(submit, 0, 1, 0))
attempt("io_getevents", lambda: kernel(events, 0, 0, 0, 0, 0))
attempt("io_destroy", lambda: kernel(destroy, 0))
attempt("io_cancel", lambda: kernel(cancel, 0, 0, 0))
attempt("io_pgetevents", lambda: kernel(333 if setup else 292, 0, 0, 0, 0, 0, 0))
print("HELD" if taken() - before < 10000 else "BREACH", "of the machine:", before, taken())
