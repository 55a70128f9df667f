# /// case
# attack = "Returns a list, a dict and a tuple whose classes answer differently each time they are read."
# calls = ["double(21)", "double(4)"]
# answer = '''([42], {'a': 42})'''
# statuses = ["exited"]
# ///
class Liar(list):
    __iter__ = lambda self: iter([42])
    __len__ = lambda self: 1
    __eq__ = lambda self, other: True
class Table(dict):
    items = lambda self: [("a", 42)]
    __eq__ = lambda self, other: True
def double(x):
    return Liar([41]) if x == 21 else Table()
