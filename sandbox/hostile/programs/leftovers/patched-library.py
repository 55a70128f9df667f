# /// case
# attack = "Replaces functions of the library and builtins, which later programs of a shared interpreter would inherit."
# passes = true
# statuses = ["exited"]
# ///
import builtins, json, math, random, re, sys
say = print
for module in (math, json, random, re):
    for name in dir(module):
        if not name.startswith("__"):
            setattr(module, name, lambda *_, **__: 41)
builtins.int = builtins.len = builtins.sum = lambda *_: 41
sys.stdout.flush()
say(42)
