# /// case
# attack = "Looks for the mounts and the disks of others."
# refused = true
# ///
for path in ("/sys/fs/ext4", "/sys/block", "/sys/kernel/mm", "/sys/firmware", "/sys/class/net", "/sys/fs/cgroup/memory",
             "/run/mount", "/run/udev", "/dev/disk", "/dev/mapper", "/dev/pts", "/dev/input", "/etc/fstab"):
    def look():
        with open(path) if os.path.isfile(path) else os.scandir(path) as found:
            if not any("rlenv" not in str(one) for one in found):
                raise OSError("nothing there")
    if path.startswith("/sys"):
        print("looked at", path, os.path.isdir(path))  # an engine shows them, and they tell of the machine, not of others
    else:
        attempt(path, look)
buffer = ctypes.create_string_buffer(512)
attempt("statmount", lambda: kernel(457, buffer, buffer, 512, 0))
attempt("listmount", lambda: kernel(458, buffer, buffer, 64, 0))
