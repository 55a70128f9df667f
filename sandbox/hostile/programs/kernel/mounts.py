# /// case
# attack = "Mounts, unmounts and moves file systems, by the old calls and the new."
# refused = true
# ///
os.makedirs("here", exist_ok=True)
attempt("proc", lambda: kernel("mount", b"proc", b"here", b"proc", 0, None))
attempt("tmpfs", lambda: kernel("mount", b"none", b"here", b"tmpfs", 0, None))
attempt("bind", lambda: kernel("mount", b"/", b"here", None, 4096, None))
attempt("writable root", lambda: kernel("mount", b"none", b"/", None, 32 | 4096, None))
attempt("umount", lambda: kernel("umount2", b"/proc", 2))
attempt("fsopen", lambda: kernel(430, b"tmpfs", 0))
attempt("open_tree", lambda: kernel(428, -100, b"/", 1))
attempt("mount_setattr", lambda: kernel(442, -100, b"/", 0, ctypes.create_string_buffer(32), 32))
