# /// case
# attack = "Asks which pages of the machine's files lie in memory, which tells what others have read."
# refused = true
# ///
opened = os.open(os.__file__, os.O_RDONLY)
span, found = (ctypes.c_uint64 * 2)(0, 1 << 20), (ctypes.c_uint64 * 8)()
attempt("cachestat", lambda: kernel(451, opened, ctypes.byref(span), ctypes.byref(found), 0))
attempt("read only what is there", lambda: os.preadv(opened, [bytearray(16)], 0, os.RWF_NOWAIT))
import mmap
held = mmap.mmap(opened, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
address = ctypes.addressof(ctypes.c_char.from_buffer(held))
attempt("mincore", lambda: kernel("mincore", address, 4096, ctypes.create_string_buffer(1)))
attempt("drops pages", lambda: os.posix_fadvise(opened, 0, 0, os.POSIX_FADV_DONTNEED))
attempt("fetches pages", lambda: kernel("readahead", opened, 0, 4096))
