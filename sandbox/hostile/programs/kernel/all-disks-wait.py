# /// case
# attack = "Has the disks of the machine write everything out, which all who use them must wait for."
# refused = true
# ///
opened = os.open(os.__file__, os.O_RDONLY)
sync, syncfs, part = (162, 306, 277) if os.uname().machine == "x86_64" else (81, 267, 84)
attempt("sync", lambda: kernel(sync))
attempt("syncfs", lambda: kernel(syncfs, opened))
attempt("syncfs of the root", lambda: kernel(syncfs, os.open("/usr", os.O_RDONLY)))
for flags in (1, 2, 4, 7):
    attempt(f"sync_file_range {flags}", lambda: kernel(part, opened, 0, 0, flags))
attempt("writes out a file to map it", lambda: kernel("ioctl", opened, 0xC020660B, ctypes.create_string_buffer(
    b"\0" * 8 + b"\xff" * 8 + b"\x01", 64)))
