# /// case
# attack = "Returns a str of a class of its own that encodes itself as the answer."
# calls = ["double(21)"]
# answer = '''('42',)'''
# statuses = ["exited"]
# ///
class Liar(str):
    encode = lambda self, *_: b"42"
    __eq__ = lambda self, other: True
    __hash__ = str.__hash__
    __len__ = lambda self: 2
def double(x):
    return Liar("41")
