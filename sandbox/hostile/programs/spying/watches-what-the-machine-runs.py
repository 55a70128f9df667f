# /// case
# attack = "Watches the folders of the machine's programs, whose names it would be told as they are started."
# refused = true
# ///
for flags in (0, 0o2000000, 0o4000):
    attempt(f"inotify_init1 {flags}", lambda: kernel("inotify_init1", flags))
attempt("inotify_init", lambda: kernel("inotify_init"))
for folder in (b"/usr/bin", b"/usr/lib", b"/bin", b"/proc", b"/tmp", b"/"):
    for descriptor in (0, 3, 5):
        attempt(f"watch {folder}", lambda: kernel("inotify_add_watch", descriptor, folder, 0x21))
