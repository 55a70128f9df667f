# /// case
# attack = "Returns a Fraction, exactly of that type, whose parts were replaced by objects that lie."
# calls = ["double(21)"]
# answer = '(84,)'
# ///
from fractions import Fraction
class Any(int):
    __eq__ = __ge__ = __le__ = lambda self, other: True
    __hash__ = lambda self: hash(84)
    __str__ = __repr__ = __format__ = lambda self, *_: "84"
def double(x):
    half = Fraction(1, 2)
    half._numerator, half._denominator = Any(1), Any(0)
    return half
