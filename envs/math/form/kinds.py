r"""How the numbers of a tree are written: as fractions, decimals, mixed numbers, in a base, as powers.

>>> from rlenv.envs.math.form.flat import flat
>>> from rlenv.envs.math.reading.answer import read
>>> [sorted(kinds(flat(read(text)), text)) for text in (r"\frac{21\pi}{2}", r"10.5\pi", r"3\frac12", "2^{15}")]
[['fraction'], ['decimal'], ['mixed number'], ['power of 2']]
"""

from __future__ import annotations

import re
from fractions import Fraction

from rlenv.envs.math.comparing.exact import rational
from rlenv.envs.math.reading.nodes import (
    MINUS_ONE,
    Apply,
    InBase,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Ratio,
    children,
)

WHOLE = "whole number"
PLAIN = frozenset({WHOLE, "fraction", "decimal", "percent", "ratio"})
"""The kinds that are not asked for unless the reference is nothing else."""
_REPEATING = ("overline", "bar", "dot", "(")
_POWER_OF_TEN = re.compile(r"[0-9.][eE][+-]?[0-9]")  # 4.5e-3
_TEN = Fraction(10)


def kinds(node: Node, text: str) -> frozenset[str]:
    """The kinds of number in a flat tree. `text` is what it was read from: a mixed number is read as its value."""
    match node:
        case Number(value, places):
            if _POWER_OF_TEN.search(text):
                return frozenset({"scientific notation"})
            if value.denominator == 1 and places is None:
                return frozenset({WHOLE})
            repeating = any(sign in text for sign in _REPEATING) and "frac" not in text and "/" not in text
            return frozenset({"decimal" if places is not None or repeating else "mixed number"})
        case InBase(_, base, _):
            return frozenset({WHOLE if base == 10 else f"base {base}"})
        case Apply("percent", _):
            return frozenset({"percent"})
        case Apply("degree", (inside,)) | Quantity(inside, _):
            return kinds(inside, text)
        case Ratio():
            return frozenset({"ratio"})
        case Product(factors):
            return _of_product(factors, text)
        case Power(base, exponent) if isinstance(base, Number) and _whole(exponent):
            return _of_power(base, exponent)
        case Power(base, exponent) if not _whole(exponent):
            return frozenset() if isinstance(base, Number) else kinds(base, text)
    return frozenset().union(*(kinds(child, text) for child in children(node)))


def _whole(exponent: Node) -> bool:
    value = rational(exponent)
    return value is not None and value.denominator == 1


def _of_power(base: Number, exponent: Node) -> frozenset[str]:
    if exponent == MINUS_ONE:
        return frozenset({"fraction"})
    return frozenset({"scientific notation" if base.value == _TEN else f"power of {base.value}"})


def _of_product(factors: tuple[Node, ...], text: str) -> frozenset[str]:
    numbers = [factor for factor in factors if factor != MINUS_ONE and rational(factor) is not None]
    rest = frozenset[str]().union(*(kinds(factor, text) for factor in factors if factor not in (*numbers, MINUS_ONE)))
    return (rest | _written(numbers, text)) - (frozenset({WHOLE}) if rest else frozenset())


def _written(numbers: list[Node], text: str) -> frozenset[str]:
    """The kind of a product of numbers: a fraction, a power of ten, a row of primes, or those of its parts."""
    tens = [node for node in numbers if isinstance(node, Power) and node.base == Number(_TEN)]
    if len(numbers) == 2 and len(tens) == 1:
        value = rational(next(node for node in numbers if node not in tens))
        return frozenset({"scientific notation" if value is not None and 1 <= abs(value) < _TEN else "power of ten"})
    if len(numbers) > 1 and all(map(_prime_power, numbers)):
        return frozenset({"primes"})
    found = frozenset[str]().union(*(kinds(node, text) for node in numbers))
    return found - {WHOLE} if "fraction" in found and found <= {"fraction", WHOLE} else found


def _prime_power(node: Node) -> bool:
    value = rational(node.base) if isinstance(node, Power) else rational(node)
    if value is None or value.denominator > 1 or value < 2 or (isinstance(node, Power) and node.exponent == MINUS_ONE):
        return False
    number = int(value)
    return number < 10**8 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def degrees(node: Node) -> bool:
    """Whether an angle is given in degrees."""
    if isinstance(node, Apply) and node.name == "degree":
        return True
    if isinstance(node, Quantity) and node.unit in {"degree", "degrees", "deg", "°"}:
        return True
    return any(map(degrees, children(node)))
