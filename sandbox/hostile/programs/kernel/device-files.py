# /// case
# attack = "Makes device files, with which a disk or the memory could be read."
# refused = true
# ///
for name, kind, major, minor in (("memory", 0o20600, 1, 1), ("disk", 0o60600, 8, 0), ("kmsg", 0o20600, 1, 11)):
    attempt(name, lambda: os.mknod(name, kind, os.makedev(major, minor)))
