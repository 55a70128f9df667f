# /// case
# attack = "Watches the file system and the mounts of the machine by fanotify, in the ways that need no privilege."
# refused = true
# ///
for flags in (0, 0x200, 0x400, 0x600, 0x800, 0x1000):
    attempt(f"fanotify_init {flags:#x}", lambda: kernel("fanotify_init", flags, 0))
for mark in (0x01, 0x11, 0x101):
    attempt(f"fanotify_mark {mark:#x}", lambda: kernel("fanotify_mark", 3, mark, 0x20, -100, b"/usr/bin"))
