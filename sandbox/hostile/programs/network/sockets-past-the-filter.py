# /// case
# attack = "Opens sockets by other entrances to the kernel: io_uring, 32-bit calls and the x32 table."
# refused = true
# ///
import mmap, platform
attempt("io_uring", lambda: kernel(425, 8, ctypes.create_string_buffer(120)))
if platform.machine() == "x86_64":
    attempt("x32 socket", lambda: kernel(0x40000000 + 41, 1, 1, 0))
    if os.fork() == 0:
        page = mmap.mmap(-1, 4096, prot=7)
        # socket(AF_UNIX, SOCK_STREAM, 0) by int 0x80, whose numbers are those of 32-bit kernels
        page.write(bytes.fromhex("53 b867010000 bb01000000 b901000000 ba00000000 cd80 5b c3"))
        run = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
        got = run()
        print("BREACH 32-bit socket" if got >= 0 else f"HELD 32-bit socket {got}", flush=True)
        os._exit(0)
    _, ended = os.wait()
    print("HELD 32-bit call", ended, flush=True)
