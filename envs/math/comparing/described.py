r"""Descriptions of values: the members that a tree names, and what the letters in them run over.

>>> from rlenv.envs.math.reading.answer import read
>>> found = family(read(r"x = 2k+1, 0 < k < 4"))
>>> found.names, found.ranges["k"].samples(9) == [1, 2, 3]
((Symbol(name='x'),), True)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from rlenv.envs.math.comparing.equations import is_name, substituted
from rlenv.envs.math.comparing.lists import spread
from rlenv.envs.math.comparing.ranges import DOTS, Range, domain, progression, ranges
from rlenv.envs.math.comparing.residues import CLASSES, classes
from rlenv.envs.math.comparing.values import symbols_of
from rlenv.envs.math.reading.nodes import (
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
)

MAX_MEMBERS = 24
MAX_SIZE = 300
"""Nodes of both families: each is evaluated some hundred times."""
_ORDERS = frozenset({"<", ">", "<=", ">="})


class Family(NamedTuple):
    """Members, each with its components, in letters that run over ranges."""

    names: tuple[Node, ...]
    members: tuple[tuple[Node, ...], ...]
    ranges: Mapping[str, Range]

    @property
    def letters(self) -> frozenset[str]:
        """All symbols of the members, those that run and others."""
        return frozenset[str]().union(*(symbols_of(part) for member in self.members for part in member))


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
            return CLASSES.fullmatch(unit) is not None
        case Relation():
            if any(operator in {"in", "equiv"} for operator in node.operators) or symbols_of(node) & {"k", "n"}:
                return True
        case Items(items) if any(isinstance(item, Relation) for item in items):
            return True
    return any(describes(child) for child in children(node))


@lru_cache(maxsize=1024)
def size(node: Node) -> int:
    """How many nodes a tree has."""
    return 1 + sum(map(size, children(node)))


def family(node: Node) -> Family | None:
    """The family that a tree writes, None for what is none."""
    if not isinstance(
        node, (Items, Given, Builder, Relation, Braces, Quantity, Apply, SetOperation, Constant, Product, Sum, Words)
    ):
        return None
    values, conditions = parted(node)
    residues = classes(values)
    if residues is not None:
        values, conditions = residues, [*conditions, Relation((Symbol("#"), Constant("integers")), ("in",))]
    found = ranges(conditions)
    if not found:
        return None
    if not values and len(found) == 1:
        values = [Symbol(next(iter(found)))]
    made = family_of(values, found)
    used = made.letters if made is not None else frozenset()
    return made if any(name in used for name in found) else None


def family_of(values: Sequence[Node], found: Mapping[str, Range]) -> Family | None:
    """Values, perhaps with names before them, as members in letters with these ranges; None for what cannot be."""
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
            return values, [*conditions, *_apart(condition)]
        case Builder(Relation((element, _), ("in",)) as inside, condition):
            return [element], [inside, condition]
        case Builder(element, condition):
            return [element], _apart(condition)
        case Relation((_, (Builder() | Braces()) as described), ("in",) | ("=",)):
            return parted(described)
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
            return [substituted(node, {"integers": Symbol("#")})], [
                Relation((Symbol("#"), Constant("integers")), ("in",))
            ]
    return [node], []


def _holds_integers(node: Node) -> bool:
    return node == Constant("integers") or any(_holds_integers(child) for child in children(node))


def _run(condition: Node) -> Node:
    """k = 0, 1, 2 as k in {0, 1, 2}."""
    first, *rest = condition.items if isinstance(condition, Items) else (condition,)
    if _is_range(first) and isinstance(first, Relation):
        return Relation((first.sides[0], Items((first.sides[1], *rest))), ("in",))
    return condition


def _apart(condition: Node) -> list[Node]:
    """Several conditions that stand in one; a range such as k = 0, 1, 2 is one."""
    if isinstance(condition, Items) and condition.word != "or" and not _is_range(condition.items[0]):
        return list(condition.items)
    return [_run(condition)]


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
        letters = frozenset[str]().union(*(symbols_of(_right(value)) for value in values))
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
        elif isinstance(item, Symbol) and item.name in letters and _next_domain(items[at : at + 1]) is not None:
            conditions.append(Relation((item, _next_domain(items[at : at + 1]) or item), ("in",)))
        else:
            more, found = parted(item)
            values.extend(more)
            conditions.extend(found)
    return _finite(values), conditions


def _next_domain(following: Sequence[Node]) -> Node | None:
    """The set that a letter and the next are in: m, n in Z."""
    one = following[0] if following else None
    return one.sides[1] if isinstance(one, Relation) and one.operators == ("in",) else None


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
