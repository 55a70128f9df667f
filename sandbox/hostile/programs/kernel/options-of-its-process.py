# /// case
# attack = "Asks for options of a process that change how the machine treats it: core scheduling, merging, dispatch."
# refused = true
# ///
for option, name in ((62, "core scheduling"), (67, "merges pages"), (59, "dispatch"), (35, "map of its memory"),
                     (57, "writes for a disk"), (31, "counters off"), (32, "counters on"), (33, "broken memory"),
                     (53, "speculation"), (24, "capabilities"), (28, "secure bits"), (8, "keep capabilities"),
                     (47, "ambient"), (29, "slack of timers"), (26, "time stamps"), (10, "floating point")):
    for argument in (1, 2):
        attempt(f"{name} {argument}", lambda: kernel("prctl", option, argument, 0, 0, 0))
