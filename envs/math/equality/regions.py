r"""Sets of real numbers, whatever they are written as: two are one set where the same numbers belong to both.

>>> from rlenv.envs.math.grammar.answer import read
>>> one = read(r"\mathbb{R} \setminus \{0, 1\}")
>>> [same_region(one, read(text)).equal for text in ("x<0 or 0<x<1 or x>1", r"(-\infty,0)\cup(1,\infty)")]
[True, False]

Inequalities (also `-x >= -1`, `0 < f(x) < 1`), intervals, unions, finite sets, complements and set-builders are asked
at their ends and between them: a set of such a form changes nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain, pairwise
from operator import and_, or_

from rlenv.envs.math.equality.equations import TURNED
from rlenv.envs.math.equality.numeric import Undefined, Value, context, evaluate
from rlenv.envs.math.equality.policy import Comparison
from rlenv.envs.math.equality.values import guarded, symbols_of
from rlenv.envs.math.grammar.nodes import (
    MINUS_ONE,
    Apply,
    Braces,
    Bracketed,
    Builder,
    Constant,
    Items,
    Node,
    Number,
    Product,
    Relation,
    SetOperation,
    Sum,
    Symbol,
    Words,
)

ORDERS = frozenset({"<", ">", "<=", ">="})
DIGITS = 40
MAX_ENDS = 120
_HOLDS = {"<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}, "=": {0}, "!=": {-1, 1}}
"""The orders of two sides for which a relation holds."""
Members = list[bool]
"""For each place whether it belongs."""


class NoRegion(ArithmeticError):
    """The tree is no set of real numbers, or its ends have letters."""


def is_region(node: Node) -> bool:
    """Whether a tree can only be a set of numbers (a pair in round brackets may be a point)."""
    match node:
        case SetOperation() | Builder() | Constant("reals") | Sum((Constant("reals"), Product((_, Braces())))):
            return True
        case Relation(_, operators):
            return any(operator in ORDERS or operator in {"!=", "in", "notin"} for operator in operators)
        case Bracketed(opening, items, closing):
            half_open = (opening == "[") != (closing == "]")
            return len(items) == 2 and (half_open or any(infinite(item) for item in items))
        case Items(items):
            return any(is_region(item) and isinstance(item, (Relation, SetOperation)) for item in items)
        case Words(text):
            return text == "all real numbers"
    return False


def same_region(gold: Node, answer: Node) -> Comparison | None:
    """Whether two trees are one set of real numbers; None where one of them is none."""
    try:
        ends = sorted({*_ends(gold), *_ends(answer)})
        places = _places(ends)
        equal = _members(gold, places) == _members(answer, places)
    except (NoRegion, Undefined, RecursionError):
        return None
    if len({variable(gold), variable(answer)} - {None}) > 1:
        return Comparison(False, "structure", "an inequality for another symbol")
    return Comparison(equal, "structure", "" if equal else "another set of numbers")


def variable(node: Node) -> str | None:
    """The symbol that a condition is about, None where it is about no one symbol."""
    if isinstance(node, Items):
        found = {variable(item) for item in node.items} - {None}
        return found.pop() if len(found) == 1 else None
    if not isinstance(node, Relation):
        return None
    sides = node.sides[:1] if node.operators[0] in {"in", "notin"} else node.sides
    symbols = {name for side in sides for name in symbols_of(side)}
    return symbols.pop() if len(symbols) == 1 else None


def infinite(node: Node) -> int:
    """The sign of an infinity, 0 for anything else."""
    if isinstance(node, Product) and len(node.factors) == 2 and node.factors[0] == MINUS_ONE:
        return -infinite(node.factors[1])
    return int(node == Constant("inf"))


def _places(ends: Sequence[Value]) -> list[Value]:
    """The ends, a place between each two, and one on either side. Ends that are one number to 25 digits are one."""
    if len(ends) > MAX_ENDS:
        raise NoRegion
    kept = list(ends[:1])
    for end in ends[1:]:
        if abs(end - kept[-1]) > (abs(end) + abs(kept[-1])) * 10.0**-25:
            kept.append(end)
    if not kept:
        return [context(DIGITS).zero]
    between = [(low + high) / 2 for low, high in pairwise(kept)]
    return [*kept, *between, kept[0] - 1, kept[-1] + 1]


def _ends(node: Node) -> Iterator[Value]:
    """The numbers at which membership may change. Raises NoRegion."""
    match node:
        case Constant("reals" | "empty") | Words("all real numbers" | "no solution"):
            return
        case Sum((Constant("reals"), Product((Number(), Braces() as taken)))):
            yield from _ends(taken)
        case Bracketed(_, (low, high), _):
            yield from (_value(end) for end in (low, high) if not infinite(end))
        case Braces(items):
            yield from map(_point, items)
        case SetOperation(_, parts) | Items(parts, _):
            yield from chain.from_iterable(map(_ends, parts))
        case Builder(inside, condition):
            yield from chain(_ends(inside) if isinstance(inside, Relation) else (), _ends(condition))
        case Relation(sides, ("in",) | ("notin",)) if _is_unknown(sides[0]):
            yield from _ends(sides[1])
        case Relation(sides, operators) if set(operators) <= ORDERS | {"=", "!="}:
            for left, right in pairwise(sides):
                yield from _bounds(left, right)
        case _:
            raise NoRegion


def _members(node: Node, places: Sequence[Value]) -> Members:
    """Whether each place belongs to the set. Raises NoRegion."""
    match node:
        case Constant("reals") | Words("all real numbers"):
            return [True] * len(places)
        case Constant("empty") | Words("no solution"):
            return [False] * len(places)
        case Sum((Constant("reals"), Product((Number(), Braces() as taken)))):  # R - {0}
            return [not inside for inside in _members(taken, places)]
        case Bracketed(opening, (low, high), closing):
            return _between(low, high, opening == "[", closing == "]", places)
        case Braces(items):
            points = [_point(item) for item in items]
            return [any(_order(place, point) == 0 for point in points) for place in places]
        case SetOperation(operator, sets):
            first, *others = [_members(part, places) for part in sets]
            if operator == "minus":
                others = [[not inside for inside in part] for part in others]
            return reduce(lambda one, other: list(map(or_ if operator == "union" else and_, one, other)), others, first)
        case Builder(Relation() as inside, condition):
            return list(map(and_, _members(inside, places), _members(condition, places)))
        case Builder(_, condition):
            return _members(condition, places)
        case Items(items, word) if len({variable(item) for item in items} - {None}) < 2:
            return _listed([_members(item, places) for item in items], word)
        case Relation(sides, ("in",) | ("notin",) as operators):
            inside_set = _members(sides[1], places)
            return inside_set if operators == ("in",) else [not inside for inside in inside_set]
        case Relation(sides, operators):
            links = [_link(*link, places) for link in zip(sides, operators, sides[1:], strict=False)]
            return [all(holds) for holds in zip(*links, strict=True)]
    raise NoRegion


def _listed(parts: list[Members], word: str) -> Members:
    """Several conditions: "or" unites, "and" intersects, a comma does what leaves something."""
    common = [all(inside) for inside in zip(*parts, strict=True)]
    united = [any(inside) for inside in zip(*parts, strict=True)]
    return united if word == "or" or (word == "," and not any(common)) else common


def _between(low: Node, high: Node, with_low: bool, with_high: bool, places: Sequence[Value]) -> Members:
    outward = (-infinite(low), infinite(high))
    if min(outward) < 0 or (outward[0] and with_low) or (outward[1] and with_high):
        raise NoRegion  # infinity is no number that belongs to a set
    start, stop = (None if infinite(end) else _value(end) for end in (low, high))
    if start is not None and stop is not None and _order(start, stop) > 0:
        raise NoRegion
    above = [start is None or _order(place, start) >= (not with_low) for place in places]
    below = [stop is None or _order(stop, place) >= (not with_high) for place in places]
    return list(map(and_, above, below))


def _point(item: Node) -> Value:
    return _value(item.sides[1] if isinstance(item, Relation) and item.operators == ("=",) else item)


def _is_unknown(node: Node) -> bool:
    """A name that stands for the quantity: a symbol, f(x), an angle."""
    return isinstance(node, Symbol) or (isinstance(node, Apply) and not node.known)


def _bounds(left: Node, right: Node) -> Iterator[Value]:
    unknown, fixed, _ = _sides(left, right)
    if infinite(fixed):
        return
    value = _value(fixed)
    inside = unknown.args[0] if isinstance(unknown, Apply) and unknown.name == "abs" and unknown.known else None
    slope, shift = _line(unknown if inside is None else inside)
    yield (value - shift) / slope
    if inside is not None:
        yield (-value - shift) / slope


def _sides(left: Node, right: Node) -> tuple[Node, Node, bool]:
    """The side with the unknown, the other, and whether they were turned."""
    turned = not (symbols_of(left) or _is_unknown(left))
    unknown, fixed = (right, left) if turned else (left, right)
    if symbols_of(fixed) or _is_unknown(fixed) or not (symbols_of(unknown) or _is_unknown(unknown)):
        raise NoRegion
    return unknown, fixed, turned


def _line(node: Node) -> tuple[Value, Value]:
    """Slope and shift of an expression that is linear in its one unknown."""
    mp = context(DIGITS)
    if _is_unknown(node):
        return mp.one, mp.zero
    names = symbols_of(node)
    if len(names) != 1 or guarded(node):
        raise NoRegion
    at = [evaluate(node, dict.fromkeys(names, Fraction(number)), DIGITS) for number in (0, 1, 2)]
    slope = at[1] - at[0]
    if any(value.imag for value in at) or abs(at[2] - at[1] - slope) > 1e-25 or abs(slope) < 1e-25:
        raise NoRegion
    return slope, at[0]


def _link(left: Node, operator: str, right: Node, places: Sequence[Value]) -> Members:
    unknown, fixed, turned = _sides(left, right)
    operator = TURNED.get(operator, operator) if turned else operator
    if infinite(fixed):
        return [(operator in {"<", "<="}) == (infinite(fixed) > 0)] * len(places)
    absolute = isinstance(unknown, Apply) and unknown.name == "abs" and unknown.known
    slope, shift = _line(unknown.args[0] if isinstance(unknown, Apply) and absolute else unknown)
    value = _value(fixed)
    said = [slope * place + shift for place in places]
    orders = [_order(abs(one) if absolute else one, value) for one in said]
    return [order in _HOLDS[operator] for order in orders]


def _order(left: Value, right: Value) -> int:
    if abs(left - right) <= (abs(left) + abs(right)) * 10.0**-25:
        return 0
    return 1 if left > right else -1


def _value(node: Node) -> Value:
    if symbols_of(node) or guarded(node):
        raise NoRegion
    value = evaluate(node, {}, DIGITS)
    if value.imag != 0:
        raise NoRegion
    return value.real
