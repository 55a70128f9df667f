# /// case
# attack = "Returns an array of a class of its own, or one of objects, where numpy is there; else an object."
# calls = ["double(21)", "double(4)"]
# ///
try:
    import numpy
except ImportError:
    double = object
else:
    class Liar(numpy.ndarray):
        __eq__ = lambda self, other: numpy.bool_(True)
    def double(x):
        return numpy.array([41]).view(Liar) if x == 21 else numpy.array([object()], dtype=object)
