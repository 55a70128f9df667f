# /// case
# attack = "Says where in the machine memory is to lie, its own and that of the processes around it."
# refused = true
# ///
mbind, set_policy, home, migrate, move = (237, 238, 450, 256, 279) if os.uname().machine == "x86_64" else (235, 237, 450, 238, 239)
mask = ctypes.c_ulong(1)
attempt("mbind", lambda: kernel(mbind, 0, 4096, 1, ctypes.byref(mask), 2, 0))
attempt("set_mempolicy", lambda: kernel(set_policy, 2, ctypes.byref(mask), 2))
attempt("home node", lambda: kernel(home, 0, 4096, 0, 0))
for process in (0, 1, os.getppid(), os.getpid()):
    attempt(f"migrate {process}", lambda: kernel(migrate, process, 2, ctypes.byref(mask), ctypes.byref(mask)))
    attempt(f"move {process}", lambda: kernel(move, process, 0, 0, 0, 0, 0))
for name, number in (("process_madvise", 440), ("process_mrelease", 448)):
    handle = os.pidfd_open(os.getpid())
    attempt(name, lambda: kernel(number, handle, 0, 0, 0, 0))
attempt("lock", lambda: kernel("mlock", 0, 4096))
attempt("lock all", lambda: kernel("mlockall", 7))
