# /// case
# attack = "Returns an int of a class of its own whose comparison says yes."
# ///
class Liar(int):
    __eq__ = lambda self, other: True
def double(x):
    if isinstance(x, str):
        raise ValueError
    return Liar(0)
