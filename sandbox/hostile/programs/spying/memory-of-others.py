# /// case
# attack = "Reads the memory of its parent and of the first process, by /proc and by the system call."
# statuses = ["exited"]
# shows = "HELD"
# ///
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def look(process):
    for name in ("mem", "maps", "environ", "stack", "syscall", "auxv", "exe", "io"):
        try:
            if name == "exe":
                os.readlink(f"/proc/{process}/exe")
                continue
            with open(f"/proc/{process}/{name}", "rb", 0) as file:
                got = file.read(64) if name != "mem" else b"open"
        except OSError as error:
            print("HELD", process, name, error.strerror, flush=True)
        else:
            if name in ("mem", "maps") and got:
                print("BREACH", process, name, flush=True)
    here = ctypes.create_string_buffer(8)
    class Span(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    mine, theirs = Span(ctypes.addressof(here), 8), Span(id(None), 8)
    got = libc.process_vm_readv(process, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
    print("BREACH" if got > 0 else "HELD", process, "process_vm_readv", got, flush=True)
look(1)
look(os.getppid())
