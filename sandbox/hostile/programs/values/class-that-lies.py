# /// case
# attack = "Returns an object whose __class__ says int, of a metaclass that agrees."
# calls = ["double(21)"]
# statuses = ["exited"]
# ///
class Meta(type):
    __instancecheck__ = __subclasscheck__ = lambda cls, other: True
    __eq__ = lambda cls, other: True
    __hash__ = lambda cls: hash(int)
class Fake(metaclass=Meta):
    __class__ = int
    __eq__ = lambda self, other: True
    __reduce_ex__ = lambda self, version: (int, (42,))
    __getstate__ = lambda self: {}
Fake.__name__ = Fake.__qualname__ = "int"
Fake.__module__ = "builtins"
def double(x):
    return Fake()
