r"""Expressions at exact points: a proof that two are one rational function, or that they are not.

>>> from rlenv.envs.math.grammar.answer import read
>>> same_form(read("(x+1)^2"), read("x^2+2x+1")), same_form(read("x+1"), read("x-1"))
(True, False)
>>> same_form(read(r"\sin x + y"), read(r"y + \sin x")), same_form(read(r"\sqrt{x^2}"), read("x"))
(True, None)

Each symbol gets a whole number of 61 bits drawn from a hash; two different rational functions of the degrees that
people write agree there by chance less than once in 10^15 (Schwartz 1980, Zippel 1979). What has no rational value
(sin x, a root, pi, an operation left undone) gets a number drawn from its name and the values inside it: agreement
still proves equality, disagreement then proves nothing.
"""

from __future__ import annotations

import hashlib
from fractions import Fraction
from functools import lru_cache

from rlenv.envs.math.equality.exact import MAX_BITS, bits, rational
from rlenv.envs.math.grammar.nodes import (
    Apply,
    Constant,
    InBase,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Standing,
    Sum,
    Symbol,
)

POINTS = 2
_SYMMETRIC = frozenset({"gcd", "lcm", "max", "min"})


class _Unknown(ArithmeticError):
    """No value here: a division by zero, a number too long, a tree of another kind."""


class Formal:
    """Values at the point of a number. `opaque` after a value that was drawn for more than a symbol."""

    def __init__(self, point: int) -> None:
        self.point, self.opaque = point, False

    def value(self, node: Node) -> Fraction:
        match node:
            case Number(value) | InBase(_, _, value):
                return value
            case Symbol(name):
                return _drawn(self.point, "symbol", name)
            case Sum(terms):
                return self._bounded(sum((self.value(term) for term in terms), Fraction(0)))
            case Product(factors):
                product = Fraction(1)
                for factor in factors:
                    product = self._bounded(product * self.value(factor))
                return product
            case Power(base, Number(exponent)) if exponent.denominator == 1:
                return self._power(self.value(base), int(exponent))
            case Quantity(value, unit) if unit in {"", "unit", "units"}:
                return self.value(value)
            case Constant() | Power() | Apply() | Standing():
                return self._drawn(node)
        raise _Unknown

    def _power(self, base: Fraction, exponent: int) -> Fraction:
        if (base == 0 and exponent <= 0) or abs(exponent) * bits(base) > MAX_BITS // 8:
            raise _Unknown
        return base**exponent

    def _bounded(self, value: Fraction) -> Fraction:
        if bits(value) > MAX_BITS // 8:
            raise _Unknown
        return value

    def _drawn(self, node: Node) -> Fraction:
        known = rational(node)
        if known is not None:
            return known
        self.opaque = True
        match node:
            case Constant("pi" | "e" | "i" as name):
                return _drawn(self.point, "constant", name)
            case Power(base, exponent):
                return _drawn(self.point, "power", f"{self.value(base)} {self.value(exponent)}")
            case Apply(name, args):
                values = [str(self.value(argument)) for argument in args]
                return _drawn(self.point, name, " ".join(sorted(values) if name in _SYMMETRIC else values))
            case Standing(operator, parts) if parts:
                return _drawn(self.point, operator, " ".join(self._part(part) for part in parts))
        raise _Unknown

    def _part(self, part: Node) -> str:
        """A limit of an operation may be a relation, k = 1."""
        try:
            return str(self.value(part))
        except _Unknown:
            return repr(part)


def same_form(gold: Node, answer: Node) -> bool | None:
    """Whether two expressions are equal wherever both are defined; None where this cannot tell."""
    found = [_pair(gold, answer, point) for point in range(POINTS)]
    if any(pair is None for pair in found):
        return None
    if all(pair[0] == pair[1] for pair in found if pair is not None):
        return True
    return False if not any(pair[2] for pair in found if pair is not None) else None


def ratio(gold: Node, answer: Node) -> Fraction | None:
    """The number c with gold = c answer, None where there is none or this cannot tell."""
    pairs = [_pair(gold, answer, point) for point in range(POINTS + 1)]
    ratios = {pair[0] / pair[1] for pair in pairs if pair is not None and pair[1]}
    return ratios.pop() if len(ratios) == 1 and all(pairs) else None


@lru_cache(maxsize=2048)
def _at(node: Node, point: int) -> tuple[Fraction, bool] | None:
    formal = Formal(point)
    try:
        return formal.value(node), formal.opaque
    except (_Unknown, OverflowError, ZeroDivisionError):
        return None


def _pair(gold: Node, answer: Node, point: int) -> tuple[Fraction, Fraction, bool] | None:
    left, right = _at(gold, point), _at(answer, point)
    return None if left is None or right is None else (left[0], right[0], left[1] or right[1])


@lru_cache(maxsize=8192)
def _drawn(point: int, kind: str, name: str) -> Fraction:
    digest = hashlib.blake2b(f"{point}/{kind}/{name}".encode("utf-8", "backslashreplace"), digest_size=8).digest()
    return Fraction((int.from_bytes(digest, "big") >> 3) + 2)
