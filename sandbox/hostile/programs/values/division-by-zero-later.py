# /// case
# attack = "Returns a fraction of denominator 0 and decimals whose conversion takes for ever."
# calls = ["double(21)"]
# ///
from decimal import Decimal
from fractions import Fraction
def double(x):
    zero = Fraction(1, 2)
    zero._denominator = 0
    return [zero, Decimal("1e999999999"), Decimal("sNaN"), Decimal("-0e-999999999")] if x else None
