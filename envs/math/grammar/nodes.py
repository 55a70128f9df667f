"""The tree of an answer: what kinds of things an answer can be, and of what they are made.

All nodes are frozen and hashable, so trees can be keys, cached and compared for identity with `==`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from operator import attrgetter
from typing import Any, TypeAlias, cast


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written: `places` digits after the point, None where there is none; so 5 is not 5.0."""

    value: Fraction
    places: int | None = None

    def __hash__(self) -> int:  # the fraction's own divides, and trees are looked up at every verdict
        return hash((self.value.numerator, self.value.denominator, self.places))


@dataclass(frozen=True, slots=True)
class InBase:
    """Digits with a base named, such as 101_2."""

    digits: str
    base: int
    value: Fraction


@dataclass(frozen=True, slots=True)
class Symbol:
    """A letter, with its subscript and primes: x, x_1, f'."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """pi, e, i, inf, or a set that has a name: reals, integers, naturals, rationals, complexes, empty."""

    name: str


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms that are added."""

    terms: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """Factors; a quotient is a factor to the power -1."""

    factors: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Power:
    """A base and its exponent; a root is a power too."""

    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of arguments; `known` where its name has a meaning (sin, log ...), else it is like a symbol."""

    name: str
    args: tuple[Node, ...]
    known: bool = True


@dataclass(frozen=True, slots=True)
class Standing:
    """An operation that is left undone: a sum, product, integral, limit or derivative."""

    operator: str
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class PlusMinus:
    """Two values: left + right and left - right."""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with a unit or with the noun of what was counted."""

    value: Node
    unit: str


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in seconds; `half` is "am", "pm" or nothing."""

    seconds: int
    half: str
    written: str


@dataclass(frozen=True, slots=True)
class Ratio:
    """a : b, or of more parts."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Bracketed:
    """Several items in brackets: a tuple, a point, or an interval. `opening` is ( or [, `closing` ) or ]."""

    opening: str
    items: tuple[Node, ...]
    closing: str


@dataclass(frozen=True, slots=True)
class Items:
    """A bare list: 1, 2 and 3. `word` is "or" where one of them joins with it, else ","."""

    items: tuple[Node, ...]
    word: str = ","


@dataclass(frozen=True, slots=True)
class Braces:
    """A set written out."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Builder:
    """A set described by a condition: {x | x > 1}."""

    element: Node
    condition: Node


@dataclass(frozen=True, slots=True)
class SetOperation:
    """`operator` is union, intersection or minus."""

    operator: str
    sets: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """A chain of sides with one operator fewer: =, <, <=, >, >=, !=, ~, in, ..."""

    sides: tuple[Node, ...]
    operators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of equally many cells."""

    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Given:
    """A value under a condition: x^2 if x > 0; k pi for k in the integers. Several make a function by cases."""

    value: Node
    condition: Node


@dataclass(frozen=True, slots=True)
class Words:
    """Prose, in lower case and in one spelling."""

    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a multiple-choice question, with what stands beside its letter."""

    letter: str
    content: Node | None


Node: TypeAlias = (
    "Number | InBase | Symbol | Constant | Sum | Product | Power | Apply | Standing | PlusMinus | Quantity | Clock"
    " | Ratio | Bracketed | Items | Braces | Builder | SetOperation | Relation | Matrix | Given | Words | Choice"
)

ONE = Number(Fraction(1))
MINUS_ONE = Number(Fraction(-1))
HALF = Number(Fraction(1, 2))


def negative(node: Node) -> Node:
    """Minus the node, with the sign inside a plain number."""
    if isinstance(node, Number):
        return Number(-node.value, node.places)
    return Product((MINUS_ONE, node))


def quotient(above: Node, below: Node) -> Node:
    """The one by the other."""
    return Product((above, Power(below, MINUS_ONE)))


def children(node: Node) -> tuple[Node, ...]:
    """The nodes right below this one."""
    found = _CHILDREN.get(type(node))
    return found(node) if found is not None else ()


_CHILDREN: dict[type, Callable[[Any], tuple[Node, ...]]] = {
    Sum: attrgetter("terms"),
    Product: attrgetter("factors"),
    Power: attrgetter("base", "exponent"),
    Apply: attrgetter("args"),
    PlusMinus: attrgetter("left", "right"),
    Builder: attrgetter("element", "condition"),
    Given: attrgetter("value", "condition"),
    Quantity: lambda node: (node.value,),
    Bracketed: attrgetter("items"),
    SetOperation: attrgetter("sets"),
    Relation: attrgetter("sides"),
    Matrix: lambda node: tuple(cell for row in node.rows for cell in row),
    Choice: lambda node: () if node.content is None else (node.content,),
    **dict.fromkeys((Standing, Ratio), attrgetter("parts")),
    **dict.fromkeys((Items, Braces), attrgetter("items")),
}
"""How the nodes below are found; every other kind has none."""


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(children(found))


def rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:
    """The same node of changed children."""
    if not children(node):
        return node
    changes: dict[str, Any] = {field.name: _changed(getattr(node, field.name), change) for field in fields(node)}
    return replace(node, **changes)


def _changed(value: object, change: Callable[[Node], Node]) -> object:
    if isinstance(value, tuple):
        return tuple(_changed(part, change) for part in value)
    return value if value is None or isinstance(value, (str, int)) else change(cast(Node, value))
