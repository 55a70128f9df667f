# /// case
# attack = "Returns an object that says it is equal to whatever it is compared with."
# calls = ["double(21)"]
# statuses = ["exited"]
# ///
class Any:
    __eq__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = lambda self: hash(42)
    __int__ = __index__ = lambda self: 42
    __repr__ = lambda self: "42"
def double(x):
    return Any()
