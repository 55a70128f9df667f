# /// case
# attack = "Returns an object that equals everything, and whose class pretends to be int."
# ///
class Any:
    __class__ = int
    __eq__ = __ge__ = __le__ = lambda self, other: True
    __hash__ = lambda self: 42
def double(x):
    if isinstance(x, str):
        raise ValueError
    return Any()
