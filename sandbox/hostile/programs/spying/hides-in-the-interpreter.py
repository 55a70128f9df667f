# /// case
# attack = "Leaves a note in every module and every function it can reach, for the next program to find."
# passes = true
# statuses = ["exited"]
# ///
import gc, sys, types
note = "rlenv-" + "secret-" + "0" * 32
for module in list(sys.modules.values()):
    try:
        module.note = note
    except (AttributeError, TypeError):
        pass
for thing in gc.get_objects():
    if isinstance(thing, types.FunctionType):
        thing.__dict__["note"] = note
print(42)
