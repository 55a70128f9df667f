r"""How the numbers of a tree are written: as fractions, decimals, mixed numbers, in a base, as powers.

>>> from rlenv.envs.math.form.flat import flat
>>> from rlenv.envs.math.grammar.answer import read
>>> [sorted(kinds(flat(read(text)), text)) for text in (r"\frac{21\pi}{2}", r"10.5\pi", r"3\frac12", "2^{15}")]
[['fraction'], ['decimal'], ['mixed number'], ['power of 2']]

The structure that a form has: factors, brackets, squares, lone unknowns; to be compared with the reference.

>>> from rlenv.envs.math.form.flat import flat
>>> from rlenv.envs.math.grammar.answer import read
>>> factors, vertex = flat(read("2(x-3)(x+3)")), flat(read("(x+3)^2 - 4"))
>>> factor_count(factors), brackets(factors), sorted(features(vertex))
(2, 1, ['square', 'sum'])
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from rlenv.envs.math.equality.exact import rational
from rlenv.envs.math.equality.quantities import DEGREES
from rlenv.envs.math.equality.values import symbols_of
from rlenv.envs.math.form.flat import factors_of, terms_of
from rlenv.envs.math.form.pending import coefficient
from rlenv.envs.math.grammar.nodes import (
    MINUS_ONE,
    Apply,
    Bracketed,
    Constant,
    InBase,
    Items,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Ratio,
    Relation,
    Sum,
    Symbol,
    children,
    walk,
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
    return any(
        (isinstance(part, Apply) and part.name == "degree") or (isinstance(part, Quantity) and part.unit in DEGREES)
        for part in walk(node)
    )


def factor_count(node: Node) -> int:
    """How many factors with a symbol a flat product has, powers counted as often as they multiply."""
    return sum(_times(factor) for factor in factors_of(node) if symbols_of(factor))


def common_divisor(node: Node) -> int:
    """The product of the whole numbers that could still be taken out of the brackets of a flat product."""
    sums = [factor.base if isinstance(factor, Power) else factor for factor in factors_of(node)]
    return math.prod(math.gcd(*map(coefficient, factor.terms)) for factor in sums if isinstance(factor, Sum))


def brackets(node: Node) -> int:
    """How many products with a bracket, and whole powers of one, could be multiplied out."""
    found = 0
    for part in walk(node):
        if isinstance(part, Product):
            over = [factor for factor in part.factors if factor != MINUS_ONE and _above(factor)]
            found += len(over) > 1 and any(isinstance(factor, Sum) for factor in over)
        elif isinstance(part, Power):
            found += isinstance(part.base, Sum) and _times(part) > 1
        elif isinstance(part, Apply) and part.name == "log":
            found += isinstance(part.args[0], (Product, Power))
    return found


def features(node: Node) -> frozenset[str]:
    """What a form is known by, where a question names one."""
    found = {"square" for part in walk(node) if isinstance(part, Power) and _is_square(part)}
    whole = node.sides[-1] if isinstance(node, Relation) and is_solved(node) else node
    parts = [factor for factor in factors_of(whole) if symbols_of(factor) or rational(factor) is None]
    if any(isinstance(factor, Sum) for factor in parts) and factor_count(whole) < 2:
        found.add("sum")
    if any(isinstance(factor, Power) and factor.base == Constant("e") for factor in parts):
        found.add("exponential")
    if sum(any(_below(factor) for factor in factors_of(term)) for term in terms_of(whole)) > 1:
        found.add("fractions")
    return frozenset(found)


def is_solved(node: Node) -> bool:
    """Whether one unknown stands alone in a relation, and nowhere else; no relation is solved."""
    if isinstance(node, Items):
        return all(map(is_solved, node.items))
    if not isinstance(node, Relation):
        return True
    for place, side in enumerate(node.sides):
        others = frozenset[str]().union(*(symbols_of(other) for i, other in enumerate(node.sides) if i != place))
        own = frozenset[str]() if isinstance(side, Apply) and not side.known else symbols_of(side)
        if _is_unknown(side) and not own & others:
            return True
    return False


def _is_unknown(side: Node) -> bool:
    if isinstance(side, Bracketed):
        return all(map(_is_unknown, side.items))
    return isinstance(side, Symbol) or side == Constant("e") or (isinstance(side, Apply) and not side.known)


def _times(factor: Node) -> int:
    """As often as a factor multiplies; 0 where it divides."""
    if not isinstance(factor, Power):
        return 1
    value = rational(factor.exponent)
    return max(0, int(value)) if value is not None and value.denominator == 1 else 1


def _above(factor: Node) -> bool:
    return _times(factor) > 0


def _below(factor: Node) -> bool:
    return isinstance(factor, Power) and not _above(factor) and bool(symbols_of(factor.base))


def _is_square(node: Power) -> bool:
    value = rational(node.exponent)
    return isinstance(node.base, Sum) and bool(symbols_of(node.base)) and value is not None and value == 2
