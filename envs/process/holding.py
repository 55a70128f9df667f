"""Whether two sides are equal: exactly, or rounded as numbers are rounded.

>>> from rlenv.envs.process.sides import side
>>> [compare(side(left), side(right)).verdict for left, right in (("3*4", "12"), ("8/3", "2.67"), ("8/3", "2.76"))]
['equal', 'rounded', 'wrong']
>>> compare(side("0.33 * 12"), side("4")).verdict, compare(side("10 / 40 * 100"), side("25%")).verdict
('rounded', 'equal')

A number that stands for a longer one carries half a unit of its last place: so do the usual decimals of thirds,
sixths, sevenths, ninths and twelfths, and what an equation before was rounded to. A result in
percent or in cents may also be the hundredfold, as people write them.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from rlenv.envs.math.grammar.units import factor
from rlenv.envs.process.linear import Linear, number, scaled, sum_of
from rlenv.envs.process.side_reader import HUNDREDTH
from rlenv.envs.process.sides import Side

Verdict: TypeAlias = Literal["equal", "rounded", "wrong", "unknown"]
_REPEATING = (3, 6, 7, 9, 11, 12, 13, 14, 15, 18)
_DIVISION = frozenset({"remainder", "quotient", "r"})
"""What makes `17 / 5 = 3 remainder 2` no equation of numbers."""
MAX_LITERALS = 24


class Comparison(NamedTuple):
    """What comparing says; `expected` is the value of the left side where it is a number."""

    verdict: Verdict
    expected: Fraction | None = None


def compare(left: Side, right: Side, relation: str = "=", rounded: Collection[Fraction] = ()) -> Comparison:
    """Whether the sides are equal. Unknown where one cannot be read, or holds unknowns that the other does not."""
    readings = [(left.value(percent), right.value(percent)) for percent in _percents(left, right)]
    expected = number(readings[0][0]) if readings[0][0] is not None else None
    verdict: Verdict = "unknown"
    for one, other in readings:
        said = _said(one, other, left, right, relation, rounded)
        if said in ("equal", "rounded"):
            return Comparison(said, expected)
        verdict = said if verdict == "unknown" else verdict
    return Comparison(verdict, expected)


def _percents(left: Side, right: Side) -> tuple[Fraction, ...]:
    in_percent = right.has_percent or any(
        token.value == 100 and behind.text == "%" for token, behind in pairwise(left.tokens)
    )
    return (HUNDREDTH, Fraction(1)) if in_percent else (HUNDREDTH,)


def _said(
    one: Linear | None, other: Linear | None, left: Side, right: Side, relation: str, rounded: Collection[Fraction]
) -> Verdict:
    if one is None or other is None or not _DIVISION.isdisjoint(token.text.lower() for token in right.tokens):
        return "unknown"
    if not any(sum_of(one, scaled(other, Fraction(-1))).values()):
        return "equal"
    a, b = number(one), number(other)
    if a is None or b is None:
        return "unknown"
    if _converts(left, right, a, b):
        return "equal"
    return "rounded" if _is_rounding(a, b, right, relation, rounded, left) else "wrong"


def _converts(left: Side, right: Side, a: Fraction, b: Fraction) -> bool:
    """Equal once the units are brought to one, or two quantities in units that this module does not know."""
    hundredfold = abs(a) == 100 * abs(b) or abs(b) == 100 * abs(a)
    if hundredfold and a * b > 0 and (_is_in_cents(left) or _is_in_cents(right) or right.has_percent):
        return True
    if left.is_lone and not right.is_lone:
        return bool(unit(left)) and any(right.tokens[at].value == abs(a) for at in right.literals)
    if not (left.is_lone and right.is_lone):
        return False
    first, second = unit(left), unit(right)
    share = factor(second, first) if first and second else None
    return a * share == b if share is not None else bool(first and second and first != second)


def unit(side: Side) -> str:
    """The words behind the last number of a side, as they stand."""
    last = side.literals[-1] if side.literals else 0
    words = " ".join(token.text.lower() for token in side.tokens[last + 1 :] if token.text not in "()")
    return words or ("$" if side.tokens and side.tokens[last].currency else "")


def _is_in_cents(side: Side) -> bool:
    return any(token.text.lower() in ("cents", "cent", "¢") for token in side.tokens)


def _is_rounding(
    a: Fraction, b: Fraction, right: Side, relation: str, rounded: Collection[Fraction], left: Side
) -> bool:
    slack = _carried(left, a, rounded) + _carried(right, b, rounded)
    if abs(a - b) <= slack:
        return True
    if not right.is_lone:
        return False
    places = right.tokens[right.literals[0]].places
    unit_in_last_place = Fraction(1, 10**places)
    if relation == "≈":
        return abs(a - b) <= max(unit_in_last_place, abs(a) / 100)
    if not places:
        return False
    return abs(a - b) <= unit_in_last_place / 2 + slack or (places > 1 and 0 <= (a - b) * _sign(a) < unit_in_last_place)


def _sign(value: Fraction) -> int:
    return 1 if value >= 0 else -1


def _carried(side: Side, value: Fraction, rounded: Collection[Fraction]) -> Fraction:
    """How far the value may be off because its numbers are rounded ones."""
    total = Fraction(0)
    for at in side.literals[:MAX_LITERALS]:
        token = side.tokens[at]
        if token.value in rounded or _repeats(token.value, token.places):
            step = Fraction(1, 2 * 10**token.places)
            moved = side.value(changed={at: token.value + step})
            shifted = None if moved is None else number(moved)
            total += abs(shifted - value) if shifted is not None else 0
    return total if len(side.literals) > 1 else Fraction(0)


def _repeats(value: Fraction, places: int) -> bool:
    """True for 0.33, 0.667, 2.17 and the like: a fraction that does not end, cut to its places."""
    if places < 2:
        return False
    last = Fraction(1, 10**places)
    return any(
        abs(round(value * below) - value * below) <= below * last / 2 and (value * below).denominator != 1
        for below in _REPEATING
        if below * last < Fraction(1, 5)
    )
