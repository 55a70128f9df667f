r"""What the letters of a family run over: whole numbers between bounds, listed values, real numbers.

>>> from rlenv.envs.math.reading.answer import read
>>> ranges([read(r"k \in \mathbb{Z}"), read("k >= 3"), read(r"k \ne 5")])["k"].samples(4) == [3, 4, 6]
True
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from rlenv.envs.math.comparing.exact import rational
from rlenv.envs.math.comparing.lists import spread
from rlenv.envs.math.comparing.numeric import Undefined, evaluate
from rlenv.envs.math.comparing.regions import infinite
from rlenv.envs.math.reading.nodes import (
    Apply,
    Braces,
    Constant,
    Items,
    Node,
    Quantity,
    Relation,
    SetOperation,
    Standing,
    Symbol,
    Words,
)

MAX_VALUES = 120
_NATURALS = "naturals"
_DISCRETE = frozenset({"integers", _NATURALS})
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_ORDERS = {">=": 0, ">": 1, "<=": 0, "<": -1}
DOTS = Standing("dots", ())


class Range(NamedTuple):
    """Whole numbers from `low` to `high` (None for no bound), the listed `values`, or a set that is not discrete."""

    kind: str = ""
    low: int | None = None
    high: int | None = None
    values: tuple[Fraction, ...] | None = None
    tests: tuple[tuple[str, Fraction, Fraction], ...] = ()
    """`!=` with a number, `equiv` with a residue and a modulus, `notequiv`."""

    @property
    def discrete(self) -> bool:
        return self.kind in _DISCRETE or self.values is not None

    @property
    def everything(self) -> bool:
        """Whether it is all whole numbers."""
        return self.kind == "integers" and (self.low, self.high, self.values, self.tests) == (None, None, None, ())

    def holds(self, value: Fraction) -> bool:
        if self.values is not None:
            return value in self.values
        bounded = (self.low is None or value >= self.low) and (self.high is None or value <= self.high)
        return value.denominator == 1 and bounded and all(_passes(test, value) for test in self.tests)

    def samples(self, width: int) -> list[Fraction]:
        """So many of its values, the first and the last of them."""
        if self.values is not None:
            return list(self.values[:MAX_VALUES])
        if self.low is None and self.high is None:
            found = range(-(width // 2), width // 2 + 1)
        elif self.high is None:
            found = range(self.low or 0, (self.low or 0) + width)
        elif self.low is None:
            found = range(self.high - width, self.high + 1)
        elif self.high - self.low <= width:
            found = range(self.low, self.high + 1)
        else:
            ends = (*range(self.low, self.low + width // 2), *range(self.high - width // 2, self.high + 1))
            return [Fraction(value) for value in ends if self.holds(Fraction(value))]
        return [Fraction(value) for value in found if self.holds(Fraction(value))]

    def counted_from(self, first: int) -> Range:
        """The same where the natural numbers begin at 0 or at 1."""
        if self.kind != _NATURALS:
            return self
        return self._replace(kind="integers", low=first if self.low is None else max(first, self.low))


def _passes(test: tuple[str, Fraction, Fraction], value: Fraction) -> bool:
    operator, number, modulus = test
    if operator == "!=":
        return value != number
    return ((value - number) % modulus == 0) == (operator == "equiv")


def domain(node: Node) -> Range | None:
    """The set that a letter is said to be in, None for one that is not known."""
    match node:
        case Constant(name) if name in {"integers", "naturals", "reals", "rationals", "complexes"}:
            return Range(name)
        case Symbol(name) if name in {"Z", "N", "R"}:
            return Range({"Z": "integers", "N": "naturals", "R": "reals"}[name])
        case Apply("_", (Constant(name), below)) if name in {"integers", "naturals", "reals"}:
            bound = {">=0": 0, ">0": 1, "+": 1, ">=1": 1}.get(below.text if isinstance(below, Words) else _sign(below))
            if name == "reals" or bound is None:
                return Range(name) if name == "reals" else None
            return Range("integers", low=bound)
        case SetOperation("minus", (whole, Braces(taken))):
            inside = domain(whole)
            numbers = [rational(item) for item in taken]
            if inside is None or None in numbers:
                return None
            return inside._replace(tests=tuple(("!=", number, Fraction(1)) for number in numbers if number is not None))
        case Braces(items) | Items(items):
            values = listed(items)
            return values if values is None or isinstance(values, Range) else Range(values=values)
    return None


def _sign(node: Node) -> str:
    return node.name if isinstance(node, Symbol) else ""


def listed(items: Sequence[Node]) -> tuple[Fraction, ...] | Range | None:
    """The numbers of a list with dots: 1, 2, ..., 6 and 0, \\pm 1, \\pm 2, ...; None for what follows no rule."""
    flat: list[Node] = []
    for item in items:
        inside = spread(item)
        flat.extend(inside.items if isinstance(inside, Items) else [inside])
    if DOTS not in flat:
        numbers = [rational(item) for item in flat]
        return None if None in numbers else tuple(number for number in numbers if number is not None)
    if flat.count(DOTS) == 1 and flat[-1] == DOTS:
        return _endless([rational(item) for item in flat[:-1]])
    if flat.count(DOTS) == 2 and flat[0] == flat[-1] == DOTS:
        found = _steps([rational(item) for item in flat[1:-1]])
        return Range("integers") if found is not None and abs(found[1]) == 1 else None
    if flat.count(DOTS) == 1 and flat[-2] == DOTS:
        return _between([rational(item) for item in flat[:-2]], rational(flat[-1]))
    return None


def _endless(numbers: list[Fraction | None]) -> Range | None:
    """0, 1, 2, ... counts up; 0, 1, -1, 2, -2, ... counts all."""
    known = sorted(number for number in numbers if number is not None)
    both_ways = len(known) == len(numbers) > 2 and known[0] < 0 and numbers != known
    if both_ways and _steps(known) == (known[0], Fraction(1)):
        return Range("integers") if known[0] == -known[-1] else None
    found = _steps(numbers)
    if found is None or found[1] != 1 or found[0].denominator != 1:
        return None
    return Range("integers", low=int(found[0]))


def _steps(numbers: Sequence[Fraction | None]) -> tuple[Fraction, Fraction] | None:
    """The first number of an arithmetic sequence and its step."""
    known = [number for number in numbers if number is not None]
    if len(known) < max(2, len(numbers)):
        return None
    steps = {right - left for left, right in pairwise(known)}
    return (known[0], steps.pop()) if len(steps) == 1 else None


def _between(numbers: list[Fraction | None], last: Fraction | None) -> tuple[Fraction, ...] | None:
    alone = numbers[0] if len(numbers) == 1 else None
    found = _steps(numbers) if alone is None else (alone, Fraction(1))
    if found is None or last is None or found[1] == 0:
        return None
    first, step = found
    count = (last - first) / step
    if count.denominator != 1 or not 0 <= count <= MAX_VALUES:
        return None
    return tuple(first + step * place for place in range(int(count) + 1))


def progression(items: Sequence[Node]) -> tuple[Fraction, Fraction, Range] | None:
    """A list with dots as its first number, its step, and how often that is added."""
    if items and items[-1] == DOTS and items.count(DOTS) <= 2:
        twosided = items[0] == DOTS
        found = _steps([rational(item) for item in items[twosided:-1]])
        if found is not None and found[1] and len(items) > 3:
            return (*found, Range("integers", low=None if twosided else 0))
    return None


def ranges(conditions: Sequence[Node]) -> dict[str, Range] | None:
    """What each letter runs over, None where a condition is not understood."""
    found: dict[str, Range] = {}
    for condition in conditions:
        said = _said(condition)
        if said is None:
            return None
        for name, more in said:
            both = _joined(found[name], more) if name in found else more
            if both is None:
                return None
            found[name] = both
    return {name: _whole(name, part) for name, part in found.items()}


def _whole(name: str, part: Range) -> Range:
    """A letter of which only bounds are named counts where it is one that people count with."""
    return part._replace(kind="integers") if not part.kind and part.values is None and name in set("jklmn") else part


def _joined(one: Range, other: Range) -> Range | None:
    if one.values is not None and other.values is not None:
        return None
    if one.values is not None or other.values is not None:
        values, rest = (one, other) if one.values is not None else (other, one)
        kept = rest._replace(kind=rest.kind or "integers")
        return values._replace(values=tuple(value for value in values.values or () if kept.holds(value)))
    lows = [bound for bound in (one.low, other.low) if bound is not None]
    highs = [bound for bound in (one.high, other.high) if bound is not None]
    return Range(
        one.kind or other.kind, max(lows, default=None), min(highs, default=None), None, one.tests + other.tests
    )


def _said(condition: Node) -> list[tuple[str, Range]] | None:
    """What one condition says of its letters."""
    match condition:
        case Items(items, word) if word != "or":
            parts = [_said(item) for item in items]
            return None if None in parts else [pair for part in parts if part is not None for pair in part]
        case Quantity(Symbol(name), unit) if unit.removeprefix("is ") in {"even", "odd"}:
            parity = Fraction(unit.endswith("odd"))
            return [(name, Range("integers", tests=(("equiv", parity, Fraction(2)),)))]
        case Relation((Symbol(name), right), ("in",)):
            inside = domain(right)
            return None if inside is None else [(name, inside)]
        case Relation(sides, ("in",)) if len(sides) == 2 and isinstance(sides[0], Items):
            return None
        case Relation((Symbol(name), right), ("!=",)):
            number = rational(right)
            return None if number is None else [(name, Range(tests=(("!=", number, Fraction(1)),)))]
        case Relation((Symbol(name), Apply("mod", (left, right))), (operator,)) if operator in {"equiv", "="}:
            residue, modulus = rational(left), rational(right)
            if residue is None or modulus is None or modulus <= 0:
                return None
            return [(name, Range("integers", tests=(("equiv", residue, modulus),)))]
        case Relation(sides, operators) if all(operator in _ORDERS for operator in operators):
            return _bounds(sides, operators)
    return None


def _bounds(sides: tuple[Node, ...], operators: tuple[str, ...]) -> list[tuple[str, Range]] | None:
    """-5 < x <= 2 bounds x by whole numbers."""
    names = {side.name for side in sides if isinstance(side, Symbol)}
    if len(names) != 1:
        return None
    name, bounds = names.pop(), Range()
    for left, operator, right in zip(sides, operators, sides[1:], strict=False):
        if right == Symbol(name):
            left, operator, right = right, _TURNED[operator], left
        if left != Symbol(name):
            return None
        found = _bound(right, operator)
        joined = None if found is None else _joined(bounds, found)
        if joined is None:
            return None
        bounds = joined
    return [(name, bounds)]


def _bound(node: Node, operator: str) -> Range | None:
    if infinite(node):
        return Range()
    exact = rational(node)
    try:
        value = exact if exact is not None else Fraction(str(evaluate(node, {}, 30)))
    except (Undefined, ValueError):
        return None
    if operator in {">", ">="}:
        return Range(low=math.floor(value) + 1 if operator == ">" else math.ceil(value))
    return Range(high=math.ceil(value) - 1 if operator == "<" else math.floor(value))
