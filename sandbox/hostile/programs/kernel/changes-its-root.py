# /// case
# attack = "Changes its root, as the classic way out of a jail begins."
# refused = true
# parts = ["numbers"]
# ///
os.makedirs("jail", exist_ok=True)
attempt("chroot", lambda: os.chroot("jail"))
attempt("pivot_root", lambda: kernel(number(155, 41), b".", b"jail"))
