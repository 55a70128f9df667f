# /// case
# attack = "Opens files by number instead of by name, the old way out of a container."
# refused = true
# parts = ["numbers"]
# ///
handle = ctypes.create_string_buffer(b"\x08\0\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0", 128)
root = os.open(".", os.O_RDONLY)
attempt("open_by_handle_at", lambda: kernel(number(304, 265), root, handle, 0))
attempt("name_to_handle_at", lambda: kernel(number(303, 264), -100, b"/", handle, ctypes.byref(ctypes.c_int()), 0))
