r"""Sets of real numbers as unions of intervals, whatever they are written as.

>>> from rlenv.envs.math.reading.answer import read
>>> region(read("x < -5")) == region(read(r"(-\infty, -5)")), len(region(read(r"\mathbb{R} \setminus \{0, 1\}")))
(True, 3)

Inequalities (also `-x >= -1`, `0 < f(x) < 1`), intervals, unions, finite sets, complements and set-builders all become
one form. Ends are trees with their value, so they are compared like any other value afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cmp_to_key
from typing import NamedTuple

from rlenv.envs.math.comparing.comparison import Comparison
from rlenv.envs.math.comparing.numeric import Undefined, Value, evaluate
from rlenv.envs.math.comparing.polynomial import UNIT, TooLarge, form
from rlenv.envs.math.comparing.values import guarded, symbols_of
from rlenv.envs.math.reading.nodes import (
    MINUS_ONE,
    Apply,
    Braces,
    Bracketed,
    Builder,
    Constant,
    Items,
    Node,
    Number,
    Power,
    Product,
    Relation,
    SetOperation,
    Sum,
    Symbol,
    Words,
    negative,
    quotient,
)

ORDERS = frozenset({"<", ">", "<=", ">="})
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
MAX_PIECES = 60


class End(NamedTuple):
    """An end of a piece: `node` is None at infinity; `closed` where the end belongs to the piece."""

    node: Node | None
    closed: bool = False


class Piece(NamedTuple):
    """An interval; a point is one whose ends are the same and closed."""

    low: End
    high: End


EVERYTHING = (Piece(End(None), End(None)),)
Region = tuple[Piece, ...]


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


def region(node: Node) -> Region | None:
    """The set as pieces in order, None where this is no set of real numbers or has symbols in its ends."""
    try:
        return _region(node)
    except (Undefined, TooLarge, RecursionError):
        return None


def same_region(gold: Region, answer: Region, same: Callable[[Node, Node], Comparison]) -> Comparison:
    """Piece by piece, end by end; `same` compares the values of the ends."""
    if len(gold) != len(answer):
        return Comparison(False, "structure", f"{len(answer)} intervals, expected {len(gold)}")
    undecided = False
    for expected, said in zip(gold, answer, strict=True):
        for end, other in ((expected.low, said.low), (expected.high, said.high)):
            if end.closed != other.closed or (end.node is None) != (other.node is None):
                return Comparison(False, "structure", "an end of an interval differs")
            if end.node is not None and other.node is not None:
                found = same(end.node, other.node)
                if found.equal is False:
                    return found
                undecided = undecided or found.equal is None
    return Comparison(None if undecided else True, "structure")


def between_letters(node: Node) -> Region | None:
    """The interval of `-a < x < a`, `x > a` or `(-a, a)`, whose ends have letters; None for anything else."""
    if isinstance(node, Bracketed) and len(node.items) == 2 and node.opening in "([" and node.closing in ")]":
        low, high = (End(None if infinite(end) else end, True) for end in node.items)
        return (Piece(low._replace(closed=node.opening == "["), high._replace(closed=node.closing == "]")),)
    if not isinstance(node, Relation) or len(node.sides) > 3:
        return None
    sides, operators = node.sides, node.operators
    if operators[0] in {">", ">="}:
        sides, operators = sides[::-1], tuple(_TURNED.get(operator, "") for operator in operators[::-1])
    if any(operator not in {"<", "<="} for operator in operators):
        return None
    ends = [End(side, operator == "<=") for side, operator in zip(sides, (*operators, operators[-1]), strict=True)]
    if len(sides) == 3:
        low, high = ends[0], End(sides[2], operators[1] == "<=")
    else:
        low, high = (End(None), ends[1]) if _is_sought(sides[0]) else (ends[0], End(None))
    unknown = sides[1] if len(sides) == 3 or not _is_sought(sides[0]) else sides[0]
    others = [end.node for end in (low, high) if end.node is not None]
    apart = isinstance(unknown, Symbol) and all(unknown.name not in symbols_of(other) for other in others)
    return (Piece(low, high),) if apart and _is_sought(unknown) else None


def _is_sought(node: Node) -> bool:
    """A letter that stands for what is sought, and not for a parameter."""
    return isinstance(node, Symbol) and node.name in {"x", "y", "z", "t"}


def same_whole_numbers(gold: Region, answer: Region) -> bool:
    """Whether two sets hold the same whole numbers: n > 4 and n >= 5."""
    try:
        return whole_numbers(gold) == whole_numbers(answer)
    except Undefined:
        return False


def whole_numbers(pieces: Region) -> list[tuple[int | None, int | None]]:
    """The runs of whole numbers in a set, those that follow each other joined."""
    runs: list[tuple[int | None, int | None]] = []
    for low, high in pieces:
        first, last = _first(low, 1), _first(high, -1)
        if first is not None and last is not None and first > last:
            continue
        if runs and runs[-1][1] is not None and first == runs[-1][1] + 1:
            first = runs.pop()[0]
        runs.append((first, last))
    return runs


def _first(end: End, sign: int) -> int | None:
    """The whole number next to an end, inwards."""
    if end.node is None:
        return None
    value = _value(end.node)
    near = round(float(value.real))
    whole = abs(value - near) < 1e-20
    if whole:
        return near if end.closed else near + sign
    return int(math.ceil(value.real) if sign > 0 else math.floor(value.real))


def _region(node: Node) -> Region | None:
    match node:
        case Constant("reals"):
            return EVERYTHING
        case Constant("empty"):
            return ()
        case Sum((Constant("reals"), Product((Number(), Braces() as taken)))):  # R - {0}
            return _combined("minus", [EVERYTHING, _region(taken)])
        case Words(text):
            return {"all real numbers": EVERYTHING, "no solution": ()}.get(text)
        case Bracketed(opening, (low, high), closing):
            return _interval(low, high, opening, closing)
        case Braces(items):
            return _united([_point(item) for item in items])
        case SetOperation(operator, sets):
            return _combined(operator, [_region(part) for part in sets])
        case Builder(Relation() as inside, condition):
            return _combined("intersection", [_region(inside), _region(condition)])
        case Builder(_, condition):
            return _region(condition)
        case Relation():
            return _relation(node)
        case Items(items, word) if len({variable(item) for item in items} - {None}) < 2:
            return _listed([_region(item) for item in items], word)
    return None


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


def _interval(low: Node, high: Node, opening: str, closing: str) -> Region | None:
    if (
        infinite(low) > 0
        or infinite(high) < 0
        or (infinite(low) and opening == "[")
        or (infinite(high) and closing == "]")
    ):
        return None  # infinity is no number that belongs to a set
    left = End(None) if infinite(low) else End(low, opening == "[")
    right = End(None) if infinite(high) else End(high, closing == "]")
    if left.node is not None and right.node is not None:
        order = _compare(left.node, right.node)
        if order > 0:
            return None
        if order == 0:
            return (Piece(left, right),) if left.closed and right.closed else ()
    return (Piece(left, right),)


def infinite(node: Node) -> int:
    """The sign of an infinity, 0 for anything else."""
    if isinstance(node, Product) and len(node.factors) == 2 and node.factors[0] == MINUS_ONE:
        return -infinite(node.factors[1])
    return int(node == Constant("inf"))


def _point(item: Node) -> Region | None:
    if isinstance(item, Relation) and item.operators == ("=",):
        item = item.sides[1]
    if symbols_of(item) or not isinstance(item, (Number, Sum, Product, Power, Apply, Constant)):
        return None
    _value(item)
    return (Piece(End(item, True), End(item, True)),)


def _relation(node: Relation) -> Region | None:
    if node.operators in {("in",), ("notin",)} and not _is_unknown(node.sides[0]):
        return None
    if node.operators == ("in",):
        return _region(node.sides[1])
    if node.operators == ("notin",):
        inside = _region(node.sides[1])
        return None if inside is None else _complement(inside)
    if node.operators == ("=",):
        return _point(node) if isinstance(node.sides[0], (Symbol, Apply)) else None
    links = [
        _link(left, operator, right)
        for left, operator, right in zip(node.sides, node.operators, node.sides[1:], strict=False)
    ]
    return _combined("intersection", links)


def _link(left: Node, operator: str, right: Node) -> Region | None:
    """One inequality, solved for what it bounds: a name on one side, or one symbol that it is linear in."""
    if operator not in ORDERS and operator != "!=":
        return None
    unknown, fixed = (left, right) if symbols_of(left) or _is_unknown(left) else (right, left)
    if unknown is right:
        operator = _TURNED.get(operator, operator)
    if symbols_of(fixed) or _is_unknown(fixed) or not (symbols_of(unknown) or _is_unknown(unknown)):
        return None
    if isinstance(unknown, Apply) and unknown.name == "abs":
        return _absolute(unknown.args[0], operator, fixed)
    if _is_unknown(unknown):
        bound: Node = fixed
    else:
        solved = _solved(unknown, fixed)
        if solved is None:
            return None
        bound, slope = solved
        operator = _TURNED.get(operator, operator) if slope < 0 else operator
    if infinite(bound):
        return EVERYTHING if (operator in {"<", "<="}) == (infinite(bound) > 0) else ()
    _value(bound)
    return _half_line(bound, operator)


def _absolute(inside: Node, operator: str, fixed: Node) -> Region | None:
    """|x| < 3 is between -3 and 3, |x| > 3 outside."""
    if operator not in _TURNED or _compare(fixed, Number(Fraction(0))) < 0:
        return None
    sides = [_link(inside, operator, fixed), _link(inside, _TURNED[operator], negative(fixed))]
    return _combined("intersection" if operator in {"<", "<="} else "union", sides)


def _is_unknown(node: Node) -> bool:
    """A name that stands for the quantity: a symbol, f(x), an angle."""
    return isinstance(node, Symbol) or (isinstance(node, Apply) and not node.known)


def _solved(unknown: Node, fixed: Node) -> tuple[Node, Fraction] | None:
    """The bound, and the sign of the symbol's factor, of an expression that is linear in its one symbol."""
    names = symbols_of(unknown)
    if len(names) != 1 or guarded(unknown):
        return None
    (name,) = names
    above, below = form(unknown)
    slopes = [value for monomial, value in above.items() if monomial == frozenset({(("symbol", name), Fraction(1))})]
    rest = {
        monomial: value for monomial, value in above.items() if monomial != frozenset({(("symbol", name), Fraction(1))})
    }
    if len(slopes) != 1 or set(below) != {UNIT} or set(rest) - {UNIT}:
        return None
    slope, shift = slopes[0] / below[UNIT], rest.get(UNIT, Fraction(0)) / below[UNIT]
    moved = Sum((fixed, Number(-shift))) if shift else fixed
    return (quotient(moved, Number(slope)) if slope != 1 else moved), slope


def _half_line(bound: Node, operator: str) -> Region:
    open_end, closed_end = End(bound), End(bound, True)
    match operator:
        case "<":
            return (Piece(End(None), open_end),)
        case "<=":
            return (Piece(End(None), closed_end),)
        case ">":
            return (Piece(open_end, End(None)),)
        case ">=":
            return (Piece(closed_end, End(None)),)
    return (Piece(End(None), open_end), Piece(open_end, End(None)))


def _listed(parts: list[Region | None], word: str) -> Region | None:
    """Several conditions: "or" unites, "and" intersects, a comma does what leaves something."""
    if word == "or":
        return _united(parts)
    common = _combined("intersection", parts)
    return _united(parts) if word == "," and common == () else common


def _combined(operator: str, parts: list[Region | None]) -> Region | None:
    if not parts or any(part is None for part in parts):
        return None
    known = [part for part in parts if part is not None]
    if operator == "union":
        return _united(parts)
    if operator == "minus":
        known = [known[0], *(_complement(part) for part in known[1:])]
    result = known[0]
    for part in known[1:]:
        result = _intersection(result, part)
    return result


def _intersection(left: Region, right: Region) -> Region:
    found = []
    for one in left[:MAX_PIECES]:
        for other in right[:MAX_PIECES]:
            low = max(one.low, other.low, key=cmp_to_key(_by_low))
            high = min(one.high, other.high, key=cmp_to_key(_by_high))
            if _is_filled(low, high):
                found.append(Piece(low, high))
    return tuple(found)


def _is_filled(low: End, high: End) -> bool:
    if low.node is None or high.node is None:
        return True
    order = _compare(low.node, high.node)
    return order < 0 or (order == 0 and low.closed and high.closed)


def _complement(pieces: Region) -> Region:
    found, low = [], End(None)
    for piece in pieces:
        if piece.low.node is not None:
            found.append(Piece(low, End(piece.low.node, not piece.low.closed)))
        if piece.high.node is None:
            return tuple(part for part in found if _is_filled(part.low, part.high))
        low = End(piece.high.node, not piece.high.closed)
    found.append(Piece(low, End(None)))
    return tuple(part for part in found if _is_filled(part.low, part.high))


def _united(parts: list[Region | None]) -> Region | None:
    """All pieces in order, those that touch joined."""
    if any(part is None for part in parts):
        return None
    pieces = sorted(
        (piece for part in parts if part is not None for piece in part),
        key=cmp_to_key(_by_position),
    )
    joined: list[Piece] = []
    for piece in pieces[: 2 * MAX_PIECES]:
        if joined and _touch(joined[-1].high, piece.low):
            high = max(joined[-1].high, piece.high, key=cmp_to_key(_by_high))
            joined[-1] = Piece(joined[-1].low, high)
        else:
            joined.append(piece)
    return tuple(joined)


def _by_position(one: Piece, other: Piece) -> int:
    return _by_low(one.low, other.low)


def _touch(high: End, low: End) -> bool:
    if high.node is None or low.node is None:
        return True
    order = _compare(low.node, high.node)
    return order < 0 or (order == 0 and (low.closed or high.closed))


def _by_low(one: End, other: End) -> int:
    if one.node is None or other.node is None:
        return (one.node is not None) - (other.node is not None)
    return _compare(one.node, other.node) or other.closed - one.closed


def _by_high(one: End, other: End) -> int:
    if one.node is None or other.node is None:
        return (other.node is not None) - (one.node is not None)
    return _compare(one.node, other.node) or one.closed - other.closed


def _compare(left: Node, right: Node) -> int:
    difference = evaluate(Sum((left, negative(right))), {}, 40)
    size = abs(_value(left)) + abs(_value(right))
    if abs(difference) <= size * 10.0**-25:
        return 0
    return 1 if difference.real > 0 else -1


def _value(node: Node) -> Value:
    if guarded(node):
        raise Undefined("too large")
    value = evaluate(node, {}, 40)
    if value.imag != 0:
        raise Undefined("not real")
    return value
