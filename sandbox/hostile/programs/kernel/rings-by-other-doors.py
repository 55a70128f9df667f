# /// case
# attack = "Uses rings without making one: by registering, by entering, by descriptors it does not have."
# refused = true
# ///
buffer = ctypes.create_string_buffer(512)
for descriptor in (-1, 0, 3):
    for operation in (8, 17, 31, 0x80000000 | 17):
        attempt(f"register {operation:#x}", lambda: kernel(427, descriptor, operation, buffer, 1))
    attempt("enter", lambda: kernel(426, descriptor, 1, 0, 0, None, 0))
for flags in (0, 1 << 1, 1 << 14, 1 << 16):
    parameters = (ctypes.c_uint32 * 30)(0, 0, flags)
    attempt(f"setup {flags:#x}", lambda: kernel(425, 1, ctypes.byref(parameters)))
