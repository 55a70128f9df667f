r"""Relations: values with a name before them (x = 3, f(x) = 2x), chains of equal signs, equations.

A name may stand before a value and is then no part of it; a chain counts only when every link of it holds, so `41 = 42`
states nothing; and an equation that is the answer itself (4x - 5y = -50) is compared up to a factor.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from rlenv.envs.math.equality.formal import ratio
from rlenv.envs.math.equality.numeric import Undefined, evaluate
from rlenv.envs.math.equality.policy import Comparison
from rlenv.envs.math.equality.values import guarded, points, symbols_of
from rlenv.envs.math.grammar.nodes import (
    MINUS_ONE,
    Apply,
    Bracketed,
    Constant,
    Node,
    Number,
    Power,
    Product,
    Ratio,
    Relation,
    Standing,
    Sum,
    Symbol,
    Words,
    negative,
    rebuilt,
    walk,
)

Same = Callable[[Node, Node], Comparison]
_GEOMETRIC = frozenset({"angle", "measuredangle", "arc", "triangle", "widehat"})
TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


class Stated(NamedTuple):
    """A value, and the name that stands before it (None for none)."""

    name: Node | None
    value: Node


def stated(node: Node, same: Same, trusted: bool = False) -> Stated | Comparison:
    """What a relation states: a name and a value, the relation itself, or the refusal of a chain that does not hold.

    The links of a `trusted` chain, the reference, are not checked.
    """
    if not isinstance(node, Relation):
        return Stated(None, node)
    node = _plain(node)
    sides, operators = _without_approximation(node)
    if not operators:
        return Stated(None, sides[0])
    if any(operator != "=" for operator in operators):
        kept = Relation(sides, operators)
        return Stated(None, kept.sides[1]) if operators == ("in",) and is_element(sides[0]) else Stated(None, kept)
    name = sides[0] if is_name(sides[0]) or (len(sides) > 2 and is_combination(sides[0])) else None
    values = sides[1:] if name is not None else sides
    if isinstance(name, Symbol) and any(name.name in symbols_of(value) for value in values):
        return Stated(None, Relation(sides, operators))  # x = 2x + 1 is an equation for x
    if name is not None and len(values) == 1:
        return Stated(name, values[0])
    if len(sides) > 2 and all(is_name(side) for side in sides[:-1]) and not is_name(sides[-1]):
        return Stated(sides[0], sides[-1])  # AB = CD = 5
    if name is None and len(sides) == 2 and not _is_closed(sides):
        return Stated(None, Relation(sides, operators))
    if name is None and _stands(values[0]):
        values = values[1:]  # the operation that was asked for, and its value
    if trusted or all(same(left, right).equal for left, right in pairwise(values)):
        return Stated(name, values[-1])
    return Comparison(False, "structure", "a chain of equations that does not hold", ("equation_chain",))


def _plain(node: Relation) -> Relation:
    r"""f \equiv 0 and x \mapsto x^2 as f = 0 and f(x) = x^2."""
    if set(node.operators) == {"equiv"} and not any(
        isinstance(part, Apply) and part.name == "mod" for part in walk(node)
    ):
        return Relation(node.sides, ("=",) * len(node.operators))
    if node.operators == ("->",):
        name, value = node.sides
        called, argument = name.parts if isinstance(name, Ratio) and len(name.parts) == 2 else (Symbol("f"), name)
        if isinstance(argument, Symbol) and isinstance(called, Symbol) and argument.name in symbols_of(value):
            return Relation((Apply(called.name, (argument,), known=False), value), ("=",))
    return node


def _without_approximation(node: Relation) -> tuple[tuple[Node, ...], tuple[str, ...]]:
    """What stands before the first approximation: the value that is stated, what follows is a remark on it."""
    if node.operators[0] == "~" and is_name(node.sides[0]):
        return node.sides[:2], ("=",)
    if "~" not in node.operators:
        return node.sides, node.operators
    cut = node.operators.index("~")
    return node.sides[: cut + 1], node.operators[:cut]


def _is_closed(sides: tuple[Node, ...]) -> bool:
    """Whether both sides are values without unknowns, the first perhaps an operation left undone."""
    return all(_stands(side) or not (symbols_of(side) or _names_a_function(side)) for side in sides)


def _names_a_function(node: Node) -> bool:
    return any(isinstance(part, Apply) and not part.known for part in walk(node))


def _stands(node: Node) -> bool:
    factors = node.factors if isinstance(node, Product) else (node,)
    return any(isinstance(factor, Standing) for factor in factors)


def is_name(node: Node) -> bool:
    """Whether a left side only names the value: x, f(x), |AB|, NO/BO, V_1:V_2, (x, y), an angle, some words."""
    match node:
        case Symbol() | Words() | Standing("diff"):
            return True
        case Apply(_, args, False):
            return all(
                isinstance(argument, (Symbol, Number, Constant, Bracketed)) or is_name(argument) for argument in args
            )
        case Constant(name):
            return name in {"e", "i"}
        case Apply("abs", (inside,)):
            return is_name(inside)
        case Apply(name, args, True):
            return name in {"sin", "cos", "tan", "cot", "sec", "csc", "gcd", "lcm", "max", "min", "log", "det"} and all(
                is_name(argument) for argument in args
            )
        case Power(inside, exponent):
            return (is_name(inside) and exponent == MINUS_ONE) or _is_inverse(node)
        case Product(factors):
            return all(is_name(factor) for factor in factors) and _is_geometric(factors)
        case Ratio(parts) | Bracketed(_, parts, _):
            return all(is_name(part) for part in parts)
    return False


def is_combination(node: Node) -> bool:
    """Whether a left side can be the quantity that was asked for: m + n, 100a + b. One unknown alone is an equation."""
    return len(symbols_of(node)) > 1


def worth(node: Node) -> Node | None:
    """The number that m + n = 70 says a combination of unknowns is worth."""
    if not isinstance(node, Relation) or node.operators != ("=",) or not is_combination(node.sides[0]):
        return None
    value = node.sides[1]
    return None if symbols_of(value) or _names_a_function(value) else value


def is_element(node: Node) -> bool:
    """Whether x in S states S: x is a letter, f(x), or a tuple of letters, and not |x| or x^2."""
    if isinstance(node, Bracketed):
        return all(is_element(item) for item in node.items)
    return isinstance(node, Symbol) or (isinstance(node, Apply) and not node.known)


def _is_inverse(node: Power) -> bool:
    """f^{-1}(x) is read as a power of f."""
    return isinstance(node.base, Symbol) and node.base.name in {"f", "g", "h"}


def _is_geometric(factors: tuple[Node, ...]) -> bool:
    """Letters in a row that name a segment or a ratio of segments: all capitals, or f^{-1}(x)."""
    if isinstance(factors[0], Power) and _is_inverse(factors[0]):
        return True
    if any(isinstance(factor, Apply) and factor.name in _GEOMETRIC for factor in factors):
        return True
    names = [part.name for factor in factors for part in walk(factor) if isinstance(part, Symbol)]
    return len(names) > 1 and all(name[0].isupper() for name in names)


def same_name(gold: Node, answer: Node) -> bool:
    """Whether two names may stand for one quantity: equal, y for f(x), f for f(x), another argument, another index."""
    if gold == answer:
        return True
    functions = [name for name in (gold, answer) if isinstance(name, Apply) and not name.known]
    if any(not isinstance(argument, Symbol) for function in functions for argument in function.args):
        return False  # f(1) = 2 is not f(3) = 2
    if len(functions) == 2:
        return (functions[0].name, len(functions[0].args)) == (functions[1].name, len(functions[1].args))
    if len(functions) == 1:
        return Symbol("y") in (gold, answer) or Symbol(functions[0].name) in (gold, answer)
    return _index(gold)[0] == _index(answer)[0] is not None


def _index(node: Node) -> tuple[str | None, str]:
    """Name and index of a term of a sequence whose index is a letter: a_n."""
    name, _, index = node.name.partition("_") if isinstance(node, Symbol) else ("", "", "")
    return (name, index) if len(index) == 1 and index.isalpha() and name else (None, "")


def renamed(gold: Node, answer: Node, value: Node) -> Node:
    """The answer's value in the letter that the reference's function or sequence has."""
    if isinstance(gold, Apply) and isinstance(answer, Apply) and len(gold.args) == len(answer.args):
        new = {old.name: one for old, one in zip(answer.args, gold.args, strict=True) if isinstance(old, Symbol)}
        back = {one.name: old for old, one in zip(answer.args, gold.args, strict=True) if isinstance(one, Symbol)}
        return substituted(value, back | new)
    if _index(gold)[0] is not None and _index(gold)[0] == _index(answer)[0] and gold != answer:
        return substituted(value, {_index(answer)[1]: Symbol(_index(gold)[1])})
    return value


def substituted(node: Node, values: dict[str, Node]) -> Node:
    """The tree with symbols replaced."""
    if isinstance(node, (Symbol, Constant)):
        return values.get(node.name, node)
    return rebuilt(node, lambda child: substituted(child, values))


def same_equation(gold: Relation, answer: Relation) -> Comparison:
    """Two relations of two sides, up to a factor; a negative one turns an inequality around."""
    operator, other = gold.operators[0], answer.operators[0]
    turned = TURNED.get(other, other)
    if operator not in {other, turned}:
        return Comparison(False, "structure", f"a relation by {other}, expected {operator}")
    if any(guarded(side) for side in (*gold.sides, *answer.sides)):
        return Comparison(False, "guard", "not evaluated", ("cost_guard",))
    share = ratio(*(Sum((left, negative(right))) for left, right in (gold.sides, answer.sides)))
    if share is not None:
        fits = operator in {"=", "!="} or (operator == other) == (share > 0)
        return Comparison(fits, "polynomial", "" if fits else "the inequality points the other way")
    return _proportional_at_points(gold, answer)


def _proportional_at_points(gold: Relation, answer: Relation) -> Comparison:
    """Whether the quotient of the two differences is one number at four points."""
    names: frozenset[str] = frozenset().union(*(symbols_of(side) for side in (*gold.sides, *answer.sides)))
    ratios = []
    for point in points(names, repr(gold) + repr(answer)):
        try:
            values = [evaluate(side, point, 40) for side in (*gold.sides, *answer.sides)]
        except Undefined:
            continue
        if values[2] != values[3]:
            ratios.append((values[0] - values[1]) / (values[2] - values[3]))
        if len(ratios) == 4:
            break
    if len(ratios) > 1 and any(abs(ratio - ratios[0]) > abs(ratios[0]) * 1e-15 for ratio in ratios):
        return Comparison(False, "structure", "another equation")
    proved = bool(names) and len(ratios) == 4 and gold.operators[0] in {"=", "!="} and ratios[0] != 0
    return Comparison(True if proved else None, "numeric", "" if proved else "the two agree at the points tried")
