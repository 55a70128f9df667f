r"""Trees without what is only a matter of writing: order, brackets, a doubled minus, a quotient of a quotient.

>>> from rlenv.envs.math.grammar.answer import read
>>> flat(read("(b + a) - -c")) == flat(read("a + (c + b)"))
True
>>> flat(read("x^2 - 9")) == flat(read("(x - 3)(x + 3)"))
False
"""

from __future__ import annotations

from functools import lru_cache

from rlenv.envs.math.equality.exact import rational
from rlenv.envs.math.grammar.nodes import MINUS_ONE, ONE, Node, Number, Power, Product, Relation, Sum, rebuilt

_TURNED = {">": "<", ">=": "<="}


@lru_cache(maxsize=4096)
def flat(node: Node) -> Node:
    """The tree with its sums and products flattened, their parts in one order, and signs in front."""
    match node:
        case Sum(terms):
            return _summed([part for term in terms for part in _terms(flat(term))])
        case Product(factors):
            return _multiplied([part for factor in factors for part in _factors(flat(factor))])
        case Power(base, exponent):
            return _raised(flat(base), flat(exponent))
        case Number(value) if value < 0 and node != MINUS_ONE:
            return Product((MINUS_ONE, Number(-value, node.places)))
        case Relation(sides, operators):
            return _related([flat(side) for side in sides], operators)
    return rebuilt(node, flat)


def factors_of(node: Node) -> tuple[Node, ...]:
    """The factors of a flat tree, or itself as the only one."""
    return node.factors if isinstance(node, Product) else (node,)


def terms_of(node: Node) -> tuple[Node, ...]:
    """The terms of a flat tree, or itself as the only one."""
    return node.terms if isinstance(node, Sum) else (node,)


def _terms(node: Node) -> list[Node]:
    """The terms that a flat tree adds to a sum; a minus before a bracket goes to each of its terms."""
    if isinstance(node, Sum):
        return list(node.terms)
    if isinstance(node, Product) and len(node.factors) == 2 and node.factors[0] == MINUS_ONE:
        inside = node.factors[1]
        if isinstance(inside, Sum):
            return [_multiplied([MINUS_ONE, *factors_of(term)]) for term in inside.terms]
    return [node]


def _factors(node: Node) -> list[Node]:
    return list(factors_of(node))


def _summed(terms: list[Node]) -> Node:
    ordered = sorted(terms, key=repr)
    return ordered[0] if len(ordered) == 1 else Sum(tuple(ordered))


def _multiplied(factors: list[Node]) -> Node:
    signs = sum(factor == MINUS_ONE for factor in factors)
    kept = sorted((factor for factor in factors if factor not in (MINUS_ONE, ONE)), key=repr)
    if signs % 2:
        kept.insert(0, MINUS_ONE)
    if len(kept) < 2:
        return kept[0] if kept else ONE
    return Product(tuple(kept))


def _raised(base: Node, exponent: Node) -> Node:
    """A quotient of quotients by its factors: 1/(a/b) is b/a."""
    if exponent == MINUS_ONE:
        if base in (ONE, MINUS_ONE):
            return base
        if isinstance(base, Product):
            return _multiplied([part for factor in base.factors for part in _factors(_raised(factor, MINUS_ONE))])
        power = rational(base.exponent) if isinstance(base, Power) else None
        if isinstance(base, Power) and power is not None:
            if power == -1:
                return base.base
            if power.denominator > 1:
                return Power(base.base, Number(-power))
    return Power(base, exponent)


def _related(sides: list[Node], operators: tuple[str, ...]) -> Node:
    if all(operator in _TURNED for operator in operators):
        return Relation(tuple(sides[::-1]), tuple(_TURNED[operator] for operator in operators[::-1]))
    if set(operators) == {"="}:
        return Relation(tuple(sorted(sides, key=repr)), operators)
    return Relation(tuple(sides), operators)
