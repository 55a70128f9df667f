import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def attempt(what, action):
    try:
        got = action()
    except BaseException as error:
        print("HELD", what, type(error).__name__, str(error)[:80], flush=True)
    else:
        print("BREACH", what, repr(got)[:200], flush=True)
def kernel(name, *arguments):
    # a call that succeeds returns, one that is refused raises: name of a function in libc, or a system call's number
    function = getattr(libc, name) if isinstance(name, str) else lambda *rest: libc.syscall(name, *rest)
    result = function(*(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments))
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result
