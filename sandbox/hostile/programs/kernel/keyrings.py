# /// case
# attack = "Leaves a key in the kernel, which belongs to no file, no process and no namespace."
# refused = true
# parts = ["numbers"]
# ///
attempt("add_key", lambda: kernel(number(248, 217), b"user", b"rlenv", b"note", 4, -4))
attempt("keyctl join", lambda: kernel(number(250, 219), 1, b"rlenv", 0, 0, 0))
attempt("keyctl user ring", lambda: kernel(number(250, 219), 0, -4, 1, 0, 0))
attempt("request_key", lambda: kernel(number(249, 218), b"user", b"rlenv", None, -4))
