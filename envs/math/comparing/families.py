r"""Families of values with letters that run over whole numbers: equal where they hold the same values.

>>> from rlenv.envs.math.reading.answer import read
>>> gold = read(r"x = 2k+1, k \in \mathbb{Z}")
>>> for text in (r"x = 2n-1, n \in \mathbb{Z}", r"x \equiv 3 \pmod 2", r"x = 4n \pm 1, n \in \mathbb{Z}", "x is odd"):
...     same_families(gold, read(text)).equal
True
True
True
True

A congruence, `x is odd`, `{2k : 0 < k < 4}` and a list that goes on in dots are such families too. Both are tried on
members of the other: a sample of the one must be found in the other and the other way round; where a member depends
linearly on its letter, that is solved for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product

from rlenv.envs.math.comparing.asked import is_whole, lowest
from rlenv.envs.math.comparing.comparison import Comparison
from rlenv.envs.math.comparing.described import MAX_SIZE, Family, family, family_of, parted, size
from rlenv.envs.math.comparing.equations import same_name
from rlenv.envs.math.comparing.exact import rational
from rlenv.envs.math.comparing.numeric import Point, Undefined, Value, evaluate
from rlenv.envs.math.comparing.ranges import Range
from rlenv.envs.math.comparing.regions import is_region, region, whole_numbers
from rlenv.envs.math.comparing.values import guarded, points, symbols_of
from rlenv.envs.math.reading.nodes import (
    Apply,
    Braces,
    Constant,
    Items,
    Node,
    Number,
    Relation,
    Symbol,
    Words,
    children,
)

DIGITS = 30
SAMPLES = {0: 1, 1: 26, 2: 7}
"""How many values of each letter are tried, by the number of letters."""
WINDOW = 60
"""How far a member is searched where it does not depend linearly on its letter."""
_MODULO = re.compile(r"\b(?:residues?|classes|solutions?)\b[^.]{0,30}\bmod(?:ulo)?\s*\$?([1-9][0-9]{0,5})\b")
"""all residues x modulo 15"""
_LETTER = re.compile(r"[jklmnpqrst](?:_[0-9])?")  # k


def same_families(gold: Node, answer: Node, question: str = "") -> Comparison | None:
    """None where neither is a family over whole numbers, or where one is nothing that could be one."""
    if isinstance(gold, Number) and isinstance(answer, (Apply, Relation)):
        return _remainder(gold, answer, question)
    expected, said = _with_bounds(gold, question), _with_bounds(answer, question)
    if not any(one is not None and "#0" not in one.ranges for one in (expected, said)) and expected and said:
        return None  # two inequalities
    if not _runs(expected) and not _runs(said):
        expected, said = _angles(gold), _angles(answer)
        if expected is None or said is None:
            return None
    if any(one is None and is_region(node) for one, node in ((expected, gold), (said, answer))):
        return Comparison(False, "structure", "whole numbers are not all real numbers")
    modulus = _MODULO.search(question) if expected is None and _runs(said) else None
    if modulus is not None and isinstance(gold, (Number, Items, Braces)):
        expected = family(_modulo(gold, Number(Fraction(modulus[1]))))
    expected, said = expected or _as_list(gold), said or _as_list(answer)
    if expected is None or said is None:
        return None
    expected, said = _undeclared(expected, said), _undeclared(said, expected)
    if any(not part.discrete for one in (expected, said) for part in one.ranges.values()):
        return None
    if not _named_alike(expected.names, said.names):
        return Comparison(False, "structure", "a family for another name")
    parts = [part for one in (expected, said) for member in one.members for part in member]
    if any(guarded(part) for part in parts) or sum(map(size, parts)) > MAX_SIZE:
        return Comparison(False, "guard", "not evaluated", ("cost_guard",))
    return _compared(expected, said)


def _modulo(gold: Node, modulus: Number) -> Node:
    """Residues as the classes that they stand for."""
    items = gold.items if isinstance(gold, (Items, Braces)) else (gold,)
    return Items(tuple(Apply("mod", (item, modulus), known=False) for item in items))


def _with_bounds(node: Node, question: str) -> Family | None:
    """A family; where the question asks for whole numbers, those between the bounds of an inequality too."""
    found = family(node)
    if found is not None or not is_region(node) or not is_whole(question) or isinstance(node, (Constant, Words)):
        return found
    pieces = region(node)
    try:
        runs = whole_numbers(pieces) if pieces else []
    except Undefined:
        runs = []
    least = lowest(question)
    known = {
        f"#{place}": Range("integers", low if least is None else max(least, low or least), high)
        for place, (low, high) in enumerate(runs)
    }
    return Family((), tuple((Symbol(name),) for name in known), known) if known else None


def _remainder(gold: Number, answer: Node, question: str) -> Comparison | None:
    """A number beside a congruence: its remainder, as it is written."""
    residue = answer.sides[-1] if isinstance(answer, Relation) and answer.operators == ("equiv",) else answer
    if not isinstance(residue, Apply) or residue.name != "mod":
        return None
    modulus = rational(residue.args[1])
    if question and (modulus is None or not re.search(rf"(?<![0-9]){modulus}(?![0-9])", question)):
        return Comparison(False, "exact", "a modulus that the question does not name")
    equal = rational(residue.args[0]) == gold.value
    return Comparison(equal, "exact", "" if equal else "another remainder")


def _angles(node: Node) -> Family | None:
    """An angle with a letter that nothing is said of, which counts the turns: 30 degrees + 360 degrees k."""
    one = _as_list(node) if isinstance(node, (Relation, Items)) else None
    letters = one.letters if one is not None else frozenset()
    if one is None or not one.names or len(letters) != 1 or not letters <= set("kn"):
        return None
    if not all(_is_angle(part) for member in one.members for part in member):
        return None
    return one._replace(ranges=dict.fromkeys(letters, Range("integers")))


def _is_angle(node: Node) -> bool:
    if node == Constant("pi") or (isinstance(node, Apply) and node.name == "degree"):
        return True
    return any(_is_angle(child) for child in children(node))


def _runs(one: Family | None) -> bool:
    return one is not None and bool(one.ranges) and all(part.discrete for part in one.ranges.values())


def _compared(gold: Family, answer: Family) -> Comparison:
    try:
        equal = any(_same_sets(_counted(gold, first), _counted(answer, first)) for first in (0, 1))
    except (Undefined, _TooMany):
        return Comparison(False, "structure", "members of a family without a value")
    return Comparison(equal, "structure", "" if equal else "a family with other members")


def _counted(one: Family, first: int) -> Family:
    return one._replace(ranges={name: part.counted_from(first) for name, part in one.ranges.items()})


class _TooMany(ValueError):
    """The family has too many letters."""


def _same_sets(gold: Family, answer: Family) -> bool:
    free = (gold.letters - gold.ranges.keys()) | (answer.letters - answer.ranges.keys())
    tried = list(points(free, repr(gold) + repr(answer)))[:2] if free else [{}]
    return all(_within(gold, answer, point) and _within(answer, gold, point) for point in tried)


def _within(one: Family, other: Family, point: Point) -> bool:
    """Whether samples of the one are members of the other."""
    sets = [_Member(member, other.ranges, point) for member in other.members]
    for member in one.members:
        for values in _samples(member, one.ranges, point):
            if not any(found.holds(values) for found in sets):
                return False
    return True


def _samples(member: tuple[Node, ...], known: Mapping[str, Range], point: Point) -> Iterator[tuple[Value, ...]]:
    names = [name for name in known if any(name in symbols_of(part) for part in member)]
    if len(names) not in SAMPLES:
        raise _TooMany
    tried = [known[name].samples(SAMPLES[len(names)]) for name in names]
    for chosen in product(*tried):
        at = {**point, **dict(zip(names, chosen, strict=True))}
        yield tuple(evaluate(part, at, DIGITS) for part in member)


class _Member:
    """The values of one member, solved for its letter where it depends on it linearly."""

    def __init__(self, parts: tuple[Node, ...], known: Mapping[str, Range], point: Point) -> None:
        self.parts, self.point = parts, point
        self.known = {name: part for name, part in known.items() if any(name in symbols_of(one) for one in parts)}
        *self.searched, self.solved = self.known or [""]
        self.lines = [self._line(chosen) for chosen in self._choices()]

    def _choices(self) -> Iterator[dict[str, Fraction]]:
        for chosen in product(*(self.known[name].samples(16) for name in self.searched)):
            yield dict(zip(self.searched, chosen, strict=True))

    def _at(self, chosen: Mapping[str, Fraction], value: int | Fraction) -> tuple[Value, ...]:
        at = {**self.point, **chosen, self.solved: Fraction(value)}
        return tuple(evaluate(part, at, DIGITS) for part in self.parts)

    def _line(
        self, chosen: Mapping[str, Fraction]
    ) -> tuple[tuple[Value, ...], tuple[Value, ...]] | list[tuple[Value, ...]]:
        """Base and step where the values are linear in the last letter, else the values themselves."""
        if not self.known:
            return [self._at(chosen, 0)]
        try:
            base, one, seven = (self._at(chosen, value) for value in (0, 1, 7))
            step = tuple(right - left for left, right in zip(base, one, strict=True))
            if all(_close(b + 7 * s, v) for b, s, v in zip(base, step, seven, strict=True)):
                return base, step
        except Undefined:
            pass
        return [self._at(chosen, value) for value in self.known[self.solved].samples(16 if self.searched else WINDOW)]

    def holds(self, values: tuple[Value, ...]) -> bool:
        if len(values) != len(self.parts):
            return False
        return any(
            self._on(line, values) if isinstance(line, tuple) else any(_alike(values, one) for one in line)
            for line in self.lines
        )

    def _on(self, line: tuple[tuple[Value, ...], tuple[Value, ...]], values: tuple[Value, ...]) -> bool:
        base, step = line
        slope = next((place for place, one in enumerate(step) if not _close(one, 0)), None)
        if slope is None:
            return _alike(values, base)
        times = (values[slope] - base[slope]) / step[slope]
        whole = round(float(times.real))
        if not _close(times, whole) or not self.known[self.solved].holds(Fraction(whole)):
            return False
        return _alike(values, tuple(b + whole * s for b, s in zip(base, step, strict=True)))


def _alike(left: tuple[Value, ...], right: tuple[Value, ...]) -> bool:
    return len(left) == len(right) and all(_close(one, other) for one, other in zip(left, right, strict=True))


def _close(left: Value, right: Value) -> bool:
    return bool(abs(left - right) <= 1e-15 * max(1, abs(left), abs(right)))


def _named_alike(gold: tuple[Node, ...], answer: tuple[Node, ...]) -> bool:
    if not gold or not answer:
        return True
    return len(gold) == len(answer) and all(same_name(one, other) for one, other in zip(gold, answer, strict=True))


def _undeclared(one: Family, other: Family) -> Family:
    """The same with a letter that runs over the whole numbers as the other's does, where nothing was said of it."""
    if one.ranges or not other.ranges or not all(part.everything for part in other.ranges.values()):
        return one
    letters = {name for name in one.letters - other.letters.difference(other.ranges) if _LETTER.fullmatch(name)}
    return one._replace(ranges=dict.fromkeys(letters, Range("integers")))


def _as_list(node: Node) -> Family | None:
    """Values that are listed, as a family without a letter."""
    return family_of(parted(node)[0], {})
