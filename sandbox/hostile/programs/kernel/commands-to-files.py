# /// case
# attack = "Sends commands to files of the machine and to its streams: flags, extents, clones, terminals."
# refused = true
# ///
opened = os.open(os.__file__, os.O_RDONLY)
buffer = ctypes.create_string_buffer(256)
for what, request in (("flags", 0x80086601), ("set flags", 0x40086602), ("version", 0x80087601), ("attributes", 0x801C581F),
                      ("extents", 0xC020660B), ("block", 1), ("clone", 0x40049409), ("trim", 0xC0185879),
                      ("freeze", 0xC0045877), ("label", 0x81009431), ("encryption", 0x800C6613), ("verity", 0x40806685)):
    attempt(what, lambda: kernel("ioctl", opened, request, buffer))
for what, request in (("type", 0x5412), ("paste", 0x541C), ("take the terminal", 0x540E), ("console", 0x541D),
                      ("signal me", 0x5452), ("size", 0x5414), ("lines", 0x5423), ("modem", 0x5415)):
    for stream in (0, 1, 2, 3):
        attempt(f"{what} {stream}", lambda: kernel("ioctl", stream, request, buffer))
