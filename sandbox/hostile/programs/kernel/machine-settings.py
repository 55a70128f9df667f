# /// case
# attack = "Changes the clock, the name, the swap, the modules and the state of the machine."
# refused = true
# parts = ["numbers"]
# ///
import time
attempt("clock", lambda: time.clock_settime(time.CLOCK_REALTIME, time.time() + 0.0))
attempt("settimeofday", lambda: kernel("settimeofday", (ctypes.c_long * 2)(int(time.time()), 0), None))
attempt("host name", lambda: kernel("sethostname", b"rlenv", 5))
attempt("swapon", lambda: kernel("swapon", b"/tmp/none", 0))
attempt("swapoff", lambda: kernel("swapoff", b"/tmp/none"))
attempt("accounting", lambda: kernel("acct", b"/tmp/none"))
attempt("reboot", lambda: kernel("reboot", 0))
attempt("module", lambda: kernel(number(175, 105), ctypes.create_string_buffer(8), 8, b""))
attempt("kexec", lambda: kernel(number(246, 104), 0, 0, None, 0))
attempt("kernel log", lambda: kernel("klogctl", 3, ctypes.create_string_buffer(64), 64))
attempt("quota", lambda: kernel("quotactl", 0x800007 << 8, None, 0, None))
