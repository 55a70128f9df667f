r"""Recurrences with their terms counted from the last: a_{n+1} = 2a_n + 1 says what a_n = 2a_{n-1} + 1 says.

>>> from rlenv.envs.math.reading.answer import read
>>> aligned(read("a_{n+1} = 2a_n")) == aligned(read("a_n = 2a_{n-1}")), aligned(read("y = 2x")) == read("y = 2x")
(True, True)
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from rlenv.envs.math.comparing.exact import rational
from rlenv.envs.math.reading.nodes import Apply, Items, Node, Number, Power, Product, Relation, Sum, Symbol, children


class _Term(NamedTuple):
    """A term of a sequence: its name, the letter of its index, and what is added to that."""

    name: str
    letter: str
    offset: Fraction


def aligned(node: Node) -> Node:
    """An equation between neighbouring terms with the last term as a_[0]; any other tree as it is."""
    if isinstance(node, Items):
        return Items(tuple(aligned(item) for item in node.items), node.word)
    if not isinstance(node, Relation) or set(node.operators) != {"="}:
        return node
    terms = [term for side in node.sides for term in _terms(side)]
    letters, offsets = {term.letter for term in terms}, {term.offset for term in terms}
    if len(letters) != 1 or len(offsets) < 2:
        return node
    letter, last = letters.pop(), max(offsets)
    return Relation(tuple(_moved(side, letter, last) for side in node.sides), node.operators)


def _terms(node: Node) -> Iterator[_Term]:
    term = _term(node)
    if term is not None:
        yield term
        return
    for child in children(node):
        yield from _terms(child)


def _term(node: Node) -> _Term | None:
    match node:
        case Symbol(name):
            base, _, index = name.partition("_")
            return _Term(base, index, Fraction(0)) if base and len(index) == 1 and index.isalpha() else None
        case Apply("_", (Symbol(name), Sum((Symbol(letter), shift)))):
            offset = rational(shift)
            return None if offset is None else _Term(name, letter, offset)
    return None


def _moved(node: Node, letter: str, last: Fraction) -> Node:
    term = _term(node)
    if term is not None:
        return Symbol(f"{term.name}_[{term.offset - last}]")
    match node:
        case Symbol(name) if name == letter and last:
            return Sum((node, Number(-last)))
        case Sum(parts):
            return Sum(tuple(_moved(part, letter, last) for part in parts))
        case Product(parts):
            return Product(tuple(_moved(part, letter, last) for part in parts))
        case Power(base, exponent):
            return Power(_moved(base, letter, last), _moved(exponent, letter, last))
        case Apply(name, args, known):
            return Apply(name, tuple(_moved(part, letter, last) for part in args), known)
    return node
