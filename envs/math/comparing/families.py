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
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from rlenv.envs.math.comparing.asked import is_whole, lowest
from rlenv.envs.math.comparing.comparison import Comparison
from rlenv.envs.math.comparing.equations import is_name, same_name, substituted
from rlenv.envs.math.comparing.exact import rational
from rlenv.envs.math.comparing.lists import spread
from rlenv.envs.math.comparing.numeric import Point, Undefined, Value, evaluate
from rlenv.envs.math.comparing.ranges import DOTS, Range, domain, progression, ranges
from rlenv.envs.math.comparing.regions import is_region, region, whole_numbers
from rlenv.envs.math.comparing.values import guarded, points, symbols_of
from rlenv.envs.math.reading.nodes import (
    MINUS_ONE,
    Apply,
    Braces,
    Bracketed,
    Builder,
    Constant,
    Given,
    Items,
    Matrix,
    Node,
    Number,
    Product,
    Quantity,
    Relation,
    SetOperation,
    Standing,
    Sum,
    Symbol,
    Words,
    children,
    negative,
)

DIGITS = 30
SAMPLES = {0: 1, 1: 26, 2: 7}
"""How many values of each letter are tried, by the number of letters."""
WINDOW = 60
"""How far a member is searched where it does not depend linearly on its letter."""
MAX_MEMBERS = 24
MAX_SIZE = 300
"""Nodes of both families: each is evaluated some hundred times."""
_LETTER = re.compile(r"[jklmnpqrst](?:_[0-9])?")
_ORDERS = frozenset({"<", ">", "<=", ">="})
_CLASSES = re.compile(
    r"(?:is |are )?(?:an? |the |all )?(?P<parity>odd|even)(?: (?:integers?|numbers?|whole numbers?))?"
)
"""`is odd`, `all even integers`"""


class Family(NamedTuple):
    """Members, each with its components, in letters that run over ranges."""

    names: tuple[Node, ...]
    members: tuple[tuple[Node, ...], ...]
    ranges: Mapping[str, Range]


@lru_cache(maxsize=4096)
def describes(node: Node) -> bool:
    """Whether a tree may describe values by cases, by letters that run or by residues: a cheap first look."""
    match node:
        case (
            Given()
            | Builder()
            | Apply("mod")
            | Constant("integers" | "naturals" | "reals" | "complexes")
            | Standing("dots")
        ):
            return True
        case Quantity(Symbol(), unit) | Words(unit):
            return _CLASSES.fullmatch(unit) is not None
        case Relation():
            if any(operator in {"in", "equiv"} for operator in node.operators) or symbols_of(node) & {"k", "n"}:
                return True
        case Items(items) if any(isinstance(item, Relation) for item in items):
            return True
    return any(describes(child) for child in children(node))


def same_families(gold: Node, answer: Node, question: str = "") -> Comparison | None:
    """None where neither is a family over whole numbers, or where one is nothing that could be one."""
    expected, said = _with_bounds(gold, question), _with_bounds(answer, question)
    if not any(one is not None and "#0" not in one.ranges for one in (expected, said)) and expected and said:
        return None  # two inequalities
    if not _runs(expected) and not _runs(said):
        expected, said = _angles(gold), _angles(answer)
        if expected is None or said is None:
            return None
    if isinstance(gold, Number) and isinstance(answer, (Apply, Relation)):
        return _remainder(gold, answer)
    if any(one is None and is_region(node) for one, node in ((expected, gold), (said, answer))):
        return Comparison(False, "structure", "whole numbers are not all real numbers")
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


def _remainder(gold: Number, answer: Node) -> Comparison | None:
    """A number beside a congruence: its remainder, as it is written."""
    residue = answer.sides[-1] if isinstance(answer, Relation) and answer.operators == ("equiv",) else answer
    if not isinstance(residue, Apply) or residue.name != "mod":
        return None
    equal = rational(residue.args[0]) == gold.value
    return Comparison(equal, "exact", "" if equal else "another remainder")


def _angles(node: Node) -> Family | None:
    """An angle with a letter that nothing is said of, which counts the turns: 30 degrees + 360 degrees k."""
    one = _as_list(node) if isinstance(node, (Relation, Items)) else None
    letters = _symbols(one) if one is not None else frozenset()
    if one is None or not one.names or len(letters) != 1 or not letters <= set("kn"):
        return None
    if not all(_is_angle(part) for member in one.members for part in member):
        return None
    return one._replace(ranges=dict.fromkeys(letters, Range("integers")))


def _is_angle(node: Node) -> bool:
    if node == Constant("pi") or (isinstance(node, Apply) and node.name == "degree"):
        return True
    return any(_is_angle(child) for child in children(node))


@lru_cache(maxsize=1024)
def size(node: Node) -> int:
    """How many nodes a tree has."""
    return 1 + sum(map(size, children(node)))


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
    free = (_symbols(gold) - gold.ranges.keys()) | (_symbols(answer) - answer.ranges.keys())
    tried = list(points(free, repr(gold) + repr(answer)))[:2] if free else [{}]
    return all(_within(gold, answer, point) and _within(answer, gold, point) for point in tried)


def _symbols(one: Family) -> frozenset[str]:
    return frozenset().union(*(symbols_of(part) for member in one.members for part in member))


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
    letters = {name for name in _symbols(one) - _symbols(other).difference(other.ranges) if _LETTER.fullmatch(name)}
    return one._replace(ranges=dict.fromkeys(letters, Range("integers")))


def family(node: Node) -> Family | None:
    """The family that a tree writes, None for what is none."""
    if not isinstance(
        node, (Items, Given, Builder, Relation, Braces, Quantity, Apply, SetOperation, Constant, Product, Sum, Words)
    ):
        return None
    values, conditions = parted(node)
    classes = _classes(values)
    if classes is not None:
        values, conditions = classes, [*conditions, Relation((Symbol("#"), Constant("integers")), ("in",))]
    found = ranges(conditions)
    if not found:
        return None
    if not values and len(found) == 1:
        values = [Symbol(next(iter(found)))]
    made = _family(values, found)
    used = frozenset() if made is None else _symbols(made)
    return made if any(name in used for name in found) else None


def _as_list(node: Node) -> Family | None:
    """Values that are listed, as a family without a letter."""
    return _family(parted(node)[0], {})


def _family(values: Sequence[Node], found: Mapping[str, Range]) -> Family | None:
    named: list[tuple[Node | None, Node]] = []
    for value in values:
        inside = spread(value)
        for one in inside.items if isinstance(inside, Items) else (inside,):
            if isinstance(one, Words):
                return None
            if isinstance(one, Relation):
                if one.operators != ("=",) or not is_name(one.sides[0]):
                    return None
                named.append((one.sides[0], one.sides[1]))
            else:
                named.append((None, one))
    if not 0 < len(named) <= MAX_MEMBERS:
        return None
    names = [name for name, _ in named if name is not None]
    if len(names) == len(named) > 1 and len(set(names)) == len(names):
        parts = [components(value) for _, value in named]
        return Family(tuple(names), (tuple(part for one in parts for part in one),), found)
    if len(set(names)) > 1:
        return None
    name = names[0] if names else None
    labels = name.items if isinstance(name, Bracketed) else () if name is None else (name,)
    return Family(labels, tuple(components(value) for _, value in named), found)


def components(node: Node) -> tuple[Node, ...]:
    """The coordinates of a vector, whatever sums and multiples of vectors it is; a number has one."""
    match node:
        case Bracketed(_, items, _):
            return items
        case Matrix(rows):
            return tuple(cell for row in rows for cell in row)
        case Sum(terms):
            parts = [components(term) for term in terms]
            if len(parts[0]) > 1 and all(len(part) == len(parts[0]) for part in parts):
                return tuple(Sum(tuple(column)) for column in zip(*parts, strict=True))
        case Product(factors):
            vectors = [factor for factor in factors if isinstance(factor, (Bracketed, Matrix))]
            if len(vectors) == 1:
                rest = tuple(factor for factor in factors if factor is not vectors[0])
                return tuple(Product((*rest, part)) for part in components(vectors[0]))
    return (node,)


def parted(node: Node) -> tuple[list[Node], list[Node]]:
    """The values that a tree names, and what it says of their letters."""
    match node:
        case Given(value, condition):
            values, conditions = parted(value)
            return values, [*conditions, *(condition.items if _joins(condition) else (_run(condition),))]
        case Builder(Relation((element, _), ("in",)) as inside, condition):
            return [element], [inside, condition]
        case Builder(element, condition):
            return [element], list(condition.items) if _joins(condition) else [condition]
        case Relation((_, Builder() | Braces() as inside), ("in",) | ("=",)):
            return parted(inside)
        case Relation((Symbol(), right), ("in",)) if domain(right) is not None:
            return [], [node]
        case Constant("integers" | "naturals"):
            return [Symbol("#")], [Relation((Symbol("#"), node), ("in",))]
        case SetOperation("union", sets):
            parts = [parted(part) for part in sets]
            return [value for values, _ in parts for value in values], [one for _, found in parts for one in found]
        case Items(items) | Braces(items):
            return _listed(items)
        case Sum() | Product() if _holds_integers(node):  # 3 + 7Z
            inside = substituted(node, {"integers": Symbol("#")})
            return [inside], [Relation((Symbol("#"), Constant("integers")), ("in",))]
    return [node], []


def _holds_integers(node: Node) -> bool:
    return node == Constant("integers") or any(_holds_integers(child) for child in children(node))


def _run(condition: Node) -> Node:
    """k = 0, 1, 2 as k in {0, 1, 2}."""
    first, *rest = condition.items if isinstance(condition, Items) else (condition,)
    if _is_range(first) and isinstance(first, Relation):
        return Relation((first.sides[0], Items((first.sides[1], *rest))), ("in",))
    return condition


def _joins(condition: Node) -> bool:
    """Whether several conditions stand in one, and not a range such as k = 0, 1, 2."""
    return isinstance(condition, Items) and condition.word != "or" and not _is_range(condition.items[0])


def _is_range(node: Node) -> bool:
    return isinstance(node, Relation) and node.operators == ("=",) and isinstance(node.sides[0], Symbol)


def _listed(items: Sequence[Node]) -> tuple[list[Node], list[Node]]:
    if items and DOTS in items and _is_range(items[0]) and not any(isinstance(item, Relation) for item in items[1:]):
        items = (items[0].sides[1], *items[1:]) if isinstance(items[0], Relation) else items  # n = 5, 6, 7, ...
    steps = progression(items)
    if steps is not None:
        first, step, times = steps
        bound = [] if times.low is None else [Relation((Symbol("#"), Number(Fraction(0))), (">=",))]
        member = Sum((Number(first), Product((Number(step), Symbol("#")))))
        return [member], [Relation((Symbol("#"), Constant("integers")), ("in",)), *bound]
    values: list[Node] = []
    conditions: list[Node] = []
    at = 0
    while at < len(items):
        item, at = items[at], at + 1
        letters = frozenset().union(*(symbols_of(_right(value)) for value in values))
        if (
            _is_range(item)
            and isinstance(item, Relation)
            and isinstance(item.sides[0], Symbol)
            and item.sides[0].name in letters
        ):
            run = [item.sides[1]]
            while at < len(items) and not isinstance(items[at], (Relation, Given)):
                run.append(items[at])
                at += 1
            conditions.append(Relation((item.sides[0], Items(tuple(run))), ("in",)))
        elif isinstance(item, Relation) and _limits(item, letters):
            conditions.append(item)
        elif isinstance(item, Symbol) and item.name in letters and _is_domain(items[at : at + 1]):
            conditions.append(Relation((item, items[at].sides[1]), ("in",)))
        elif isinstance(item, Items) and all(isinstance(one, Relation) for one in item.items):
            conditions.extend(item.items)
        else:
            more, found = parted(item)
            values.extend(more)
            conditions.extend(found)
    return _finite(values), conditions


def _is_domain(following: Sequence[Node]) -> bool:
    """Whether a letter stands before the set that it and the next are in: m, n in Z."""
    return bool(following) and isinstance(following[0], Relation) and following[0].operators == ("in",)


def _right(value: Node) -> Node:
    return value.sides[-1] if isinstance(value, Relation) and value.operators in {("=",), ("equiv",)} else value


def _limits(item: Relation, letters: frozenset[str]) -> bool:
    """Whether a relation only says what a letter of the values before it runs over."""
    if item.operators == ("in",):
        return isinstance(item.sides[0], Symbol) and domain(item.sides[1]) is not None
    named = {side.name for side in item.sides if isinstance(side, Symbol)}
    return item.operators[0] in _ORDERS | {"!=", "equiv"} and bool(named) and named <= letters


def filled(node: Node) -> Node:
    """A list with the dots between its numbers filled in: {1, 2, ..., 5}."""
    if isinstance(node, (Items, Braces)) and DOTS in node.items:
        items = tuple(_finite(list(node.items)))
        return Items(items, node.word) if isinstance(node, Items) else Braces(items)
    return node


def _finite(values: list[Node]) -> list[Node]:
    """The values with the dots between them filled in: 1, 2, ..., 5."""
    if DOTS not in values:
        return values
    inside = domain(Braces(tuple(values)))
    if inside is None or inside.values is None:
        return values
    return [Number(value) for value in inside.values]


def _classes(values: Sequence[Node]) -> list[Node] | None:
    """Residue classes as members in a letter of their own; None where none of the values names one."""
    found = [_residue(value) for value in values]
    moduli = [modulus for _, _, modulus in found if modulus is not None]
    if not moduli:
        return None
    name = next((name for name, _, _ in found if name is not None), None)
    made: list[Node] = []
    for _, value, modulus in found:
        for one in _both_signs(value):
            member = Sum((one, Product((modulus or moduli[-1], Symbol("#")))))
            made.append(member if name is None else Relation((name, member), ("=",)))
    return made


def _both_signs(value: Node) -> tuple[Node, ...]:
    inside = spread(value)
    return inside.items if isinstance(inside, Items) else (inside,)


def _residue(node: Node) -> tuple[Node | None, Node, Node | None]:
    """Name, residue and modulus of `x \\equiv 3 \\pmod 7`, without those that it does not write."""
    match node:
        case Relation((name, value), ("equiv",) | ("=",)) if is_name(name):
            _, residue, modulus = _residue(value)
            return (
                (name, residue, modulus) if modulus is not None or node.operators == ("equiv",) else (None, node, None)
            )
        case Apply("mod", (value, modulus)) if (rational(modulus) or 0) > 0:
            return None, value, modulus
        case Product((Number() as sign, inside)) if sign == MINUS_ONE:
            _, residue, modulus = _residue(inside)
            return None, negative(residue), modulus
        case Quantity(Symbol() as name, unit):
            match = _CLASSES.fullmatch(unit)
            if match is not None:
                return name, Number(Fraction(match["parity"] == "odd")), Number(Fraction(2))
        case Words(text):
            match = _CLASSES.fullmatch(text)
            if match is not None:
                return None, Number(Fraction(match["parity"] == "odd")), Number(Fraction(2))
    plus = _signed(node)
    return plus if plus is not None else (None, node, None)


def _signed(node: Node) -> tuple[Node | None, Node, Node | None] | None:
    """`\\pm 2 \\pmod 7` is read as plus or minus of a residue."""
    inside = spread(node)
    if not isinstance(inside, Items) or len(inside.items) != 2:
        return None
    _, residue, modulus = _residue(_last(inside.items[0]))
    return None if modulus is None else (None, Items((residue, negative(residue))), modulus)


def _last(node: Node) -> Node:
    """The last term of a sum that begins with a zero."""
    return node.terms[-1] if isinstance(node, Sum) else node
