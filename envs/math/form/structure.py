r"""The structure that a form has: factors, brackets, squares, lone unknowns; to be compared with the reference.

>>> from rlenv.envs.math.form.flat import flat
>>> from rlenv.envs.math.reading.answer import read
>>> factors, vertex = flat(read("2(x-3)(x+3)")), flat(read("(x+3)^2 - 4"))
>>> factor_count(factors), brackets(factors), sorted(features(vertex))
(2, 1, ['square', 'sum'])
"""

from __future__ import annotations

import math

from rlenv.envs.math.comparing.exact import rational
from rlenv.envs.math.comparing.values import symbols_of
from rlenv.envs.math.form.flat import factors_of, terms_of, walk
from rlenv.envs.math.form.pending import coefficient
from rlenv.envs.math.reading.nodes import (
    MINUS_ONE,
    Apply,
    Bracketed,
    Constant,
    Items,
    Node,
    Power,
    Product,
    Relation,
    Sum,
    Symbol,
)

MAX_TERMS = 100
"""More terms than this are not told apart."""


def factor_count(node: Node) -> int:
    """How many factors with a symbol a flat product has, powers counted as often as they multiply."""
    return sum(_times(factor) for factor in factors_of(node) if symbols_of(factor))


def common_divisor(node: Node) -> int:
    """The product of the whole numbers that could still be taken out of the brackets of a flat product."""
    sums = [factor.base if isinstance(factor, Power) else factor for factor in factors_of(node)]
    return math.prod(math.gcd(*map(coefficient, factor.terms)) for factor in sums if isinstance(factor, Sum))


def brackets(node: Node) -> int:
    """How many products with a bracket, and whole powers of one, could be multiplied out."""
    found = 0
    for part in walk(node):
        if isinstance(part, Product):
            over = [factor for factor in part.factors if factor != MINUS_ONE and _above(factor)]
            found += len(over) > 1 and any(isinstance(factor, Sum) for factor in over)
        elif isinstance(part, Power):
            found += isinstance(part.base, Sum) and _times(part) > 1
        elif isinstance(part, Apply) and part.name == "log":
            found += isinstance(part.args[0], (Product, Power))
    return found


def term_count(node: Node) -> int:
    """How many terms a node has once its brackets are multiplied out, before any are collected."""
    if isinstance(node, Sum):
        return sum(map(term_count, node.terms))
    if isinstance(node, Product):
        return min(MAX_TERMS, math.prod(map(term_count, node.factors)))
    if isinstance(node, Power) and isinstance(node.base, Sum) and 1 < _times(node) < MAX_TERMS:
        return min(MAX_TERMS, int(term_count(node.base) ** _times(node)))
    return 1


def features(node: Node) -> frozenset[str]:
    """What a form is known by, where a question names one."""
    found = {"square" for part in walk(node) if isinstance(part, Power) and _is_square(part)}
    whole = node.sides[-1] if isinstance(node, Relation) and is_solved(node) else node
    parts = [factor for factor in factors_of(whole) if symbols_of(factor) or rational(factor) is None]
    if any(isinstance(factor, Sum) for factor in parts) and factor_count(whole) < 2:
        found.add("sum")
    if any(isinstance(factor, Power) and factor.base == Constant("e") for factor in parts):
        found.add("exponential")
    if sum(any(_below(factor) for factor in factors_of(term)) for term in terms_of(whole)) > 1:
        found.add("fractions")
    return frozenset(found)


def is_solved(node: Node) -> bool:
    """Whether one unknown stands alone in a relation, and nowhere else; no relation is solved."""
    if isinstance(node, Items):
        return all(map(is_solved, node.items))
    if not isinstance(node, Relation):
        return True
    for place, side in enumerate(node.sides):
        others = frozenset[str]().union(*(symbols_of(other) for i, other in enumerate(node.sides) if i != place))
        own = frozenset[str]() if isinstance(side, Apply) and not side.known else symbols_of(side)
        if _is_unknown(side) and not own & others:
            return True
    return False


def _is_unknown(side: Node) -> bool:
    if isinstance(side, Bracketed):
        return all(map(_is_unknown, side.items))
    return isinstance(side, Symbol) or side == Constant("e") or (isinstance(side, Apply) and not side.known)


def _times(factor: Node) -> int:
    """As often as a factor multiplies; 0 where it divides."""
    if not isinstance(factor, Power):
        return 1
    value = rational(factor.exponent)
    return max(0, int(value)) if value is not None and value.denominator == 1 else 1


def _above(factor: Node) -> bool:
    return _times(factor) > 0


def _below(factor: Node) -> bool:
    return isinstance(factor, Power) and not _above(factor) and bool(symbols_of(factor.base))


def _is_square(node: Power) -> bool:
    value = rational(node.exponent)
    return isinstance(node.base, Sum) and bool(symbols_of(node.base)) and value is not None and value == 2
