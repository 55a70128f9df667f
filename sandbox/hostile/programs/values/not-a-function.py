# /// case
# attack = "Has something else under the name that is called: a class, a text, an object with a false __call__, nothing."
# calls = ["double(21)", "triple(14)", "missing(1)"]
# statuses = ["exited"]
# ///
class double:
    def __new__(cls, x):
        return object.__new__(cls)
    __eq__ = lambda self, other: True
triple = "42"
