# /// case
# attack = "Opens, changes and lists mounts by calls that were added one by one."
# refused = true
# ///
buffer = ctypes.create_string_buffer(512)
for name, number in (("open_tree", 428), ("move_mount", 429), ("fsopen", 430), ("fsconfig", 431), ("fsmount", 432),
                     ("fspick", 433), ("mount_setattr", 442), ("quotactl_fd", 443), ("statmount", 457),
                     ("listmount", 458), ("open_tree_attr", 467)):
    attempt(name, lambda: kernel(number, -100, b"/", 0, buffer, 32, 0))
    attempt(name + " of nothing", lambda: kernel(number, 0, 0, 0, 0, 0, 0))
