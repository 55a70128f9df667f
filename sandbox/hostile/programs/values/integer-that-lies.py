# /// case
# attack = "Returns an int of a class of its own, with the wrong value and the right comparison."
# calls = ["double(21)"]
# statuses = ["exited"]
# ///
class Liar(int):
    __eq__ = lambda self, other: True
    __hash__ = int.__hash__
    __repr__ = __str__ = __format__ = lambda self, *_: "42"
    __index__ = __int__ = lambda self: 42
def double(x):
    return Liar(41)
