# /// case
# attack = "Takes other identities, groups and capabilities."
# refused = true
# ///
attempt("setuid 0", lambda: os.setuid(0))
attempt("setreuid", lambda: os.setreuid(0, 0))
attempt("setresuid", lambda: os.setresuid(0, 0, 0))
attempt("setgid 0", lambda: os.setgid(0))
attempt("setgroups", lambda: os.setgroups([0]))
attempt("setfsuid", lambda: open(f"/proc/{1 if libc.setfsuid(0) else 1}/mem", "rb"))
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
every = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
attempt("capset", lambda: kernel("capset", ctypes.byref(header), ctypes.byref(every)))
attempt("keeps capabilities", lambda: kernel("prctl", 24, 21, 0, 0, 0))
def map_root():
    with open("/proc/self/uid_map", "w") as table:
        table.write("0 0 1")
attempt("uid map", map_root)
