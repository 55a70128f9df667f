r"""The last tier: sympy, on expressions that we build from our trees, never on text.

It is asked where the cheap tiers stay undecided: functions that are not analytic (|x|, floor), and references that
leave an operation undone (a sum that the answer gives in closed form). An operation that only the answer leaves undone
stays undone: restating the question is no answer. May run long, so only a process that can be killed may call this.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, TypeAlias

from rlenv.core.errors import MissingExtra
from rlenv.envs.math.comparing.comparison import Comparison
from rlenv.envs.math.comparing.equations import substituted
from rlenv.envs.math.comparing.values import guarded, stands
from rlenv.envs.math.reading.nodes import (
    Apply,
    Constant,
    InBase,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Relation,
    Standing,
    Sum,
    Symbol,
)

Expression: TypeAlias = Any
"""An expression of sympy, which carries no types."""
MAX_SIGNS = 3
_SAME_NAME = {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arccot": "acot", "arcsec": "asec", "arccsc": "acsc",
    "abs": "Abs", "ceil": "ceiling", "max": "Max", "min": "Min", "sgn": "sign", "binom": "binomial",
}  # fmt: skip
_AS_THEY_ARE = frozenset(
    ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "sech", "csch", "floor", "factorial",
     "factorial2", "gcd", "lcm")
)  # fmt: skip


class Untranslatable(ValueError):
    """sympy has no expression for this tree."""


def same_by_algebra(gold: Node, answer: Node) -> Comparison:
    """Whether algebra shows two expressions to be equal; what it cannot show is refused."""
    if guarded(gold) or guarded(answer):
        return Comparison(False, "guard", "not evaluated", ("cost_guard",))
    if stands(answer) and not stands(gold):
        return Comparison(False, "symbolic", "an operation is left undone", ("left_standing",))
    try:
        import sympy
    except ImportError as error:
        raise MissingExtra("sympy", "math") from error
    try:
        difference = expression(gold) - expression(answer)
        if stands(gold):
            difference = difference.doit()
        equal = difference == 0 or sympy.simplify(difference) == 0 or _vanishes_for_each_sign(difference)
    except Exception:  # sympy raises errors of any kind for what makes no sense
        return Comparison(False, "symbolic", "algebra cannot tell")
    if not equal:
        return Comparison(False, "symbolic", "algebra could not show them equal")
    return Comparison(True, "symbolic")


def _vanishes_for_each_sign(difference: Expression) -> bool:
    """Whether it is zero for positive and for negative values of each symbol, which logarithms and |x| need apart."""
    import sympy

    symbols = [symbol for symbol in difference.free_symbols if not symbol.is_integer]
    if not 0 < len(symbols) <= MAX_SIGNS:
        return False
    for signs in product((1, -1), repeat=len(symbols)):
        positive = {
            symbol: sign * sympy.Symbol(symbol.name, positive=True) for symbol, sign in zip(symbols, signs, strict=True)
        }
        if sympy.simplify(sympy.expand_log(difference.subs(positive))) != 0:
            return False
    return True


def expression(node: Node) -> Expression:
    """The tree as an expression of sympy; symbols are real. Raises Untranslatable."""
    import sympy

    match node:
        case Number(value) | InBase(_, _, value):
            return sympy.Rational(value.numerator, value.denominator)
        case Symbol(name):
            return _symbol(name)
        case Constant(name):
            known = {"pi": sympy.pi, "e": sympy.E, "i": sympy.I, "inf": sympy.oo}
            if name not in known:
                raise Untranslatable(name)
            return known[name]
        case Sum(terms):
            return sympy.Add(*(expression(term) for term in terms))
        case Product(factors):
            return sympy.Mul(*(expression(factor) for factor in factors))
        case Power(base, exponent):
            return _power(base, exponent)
        case Apply(name, args, known):
            return _applied(name, [expression(argument) for argument in args], known)
        case Standing(operator, parts):
            return _standing(operator, parts)
        case Quantity(value, ""):
            return expression(value)
    raise Untranslatable(type(node).__name__)


def _symbol(name: str) -> Expression:
    import sympy

    return sympy.Symbol(name, integer=True) if name in {"n", "k", "m", "j"} else sympy.Symbol(name, real=True)


def _power(base: Node, exponent: Node) -> Expression:
    import sympy

    under = expression(base)
    if isinstance(exponent, Number) and exponent.value.denominator % 2 and exponent.value.denominator > 1:
        root = sympy.real_root(under, exponent.value.denominator)
        return root**exponent.value.numerator
    return under ** expression(exponent)


def _applied(name: str, args: list[Expression], known: bool) -> Expression:
    import sympy

    if not known:
        return sympy.Function(name)(*args)
    if name == "log":
        return sympy.log(*args)
    if name == "degree":
        return args[0] * sympy.pi / 180
    if name == "percent":
        return args[0] / 100
    if name in _AS_THEY_ARE or name in _SAME_NAME:
        called: Callable[..., Expression] = getattr(sympy, _SAME_NAME.get(name, name))
        return called(*args)
    raise Untranslatable(name)


def _standing(operator: str, parts: tuple[Node, ...]) -> Expression:
    import sympy

    below = next((part.args[0] for part in parts[:-1] if isinstance(part, Apply) and part.name == "_"), None)
    above = next((part.args[0] for part in parts[:-1] if isinstance(part, Apply) and part.name == "^"), None)
    body = parts[-1] if parts else None
    if operator in {"sum", "prod"} and isinstance(below, Relation) and above is not None and body is not None:
        index: dict[str, Node] = {"i": Symbol("k")} if below.sides[0] == Constant("i") else {}
        variable, body = substituted(below.sides[0], index), substituted(body, index)
        called = sympy.Sum if operator == "sum" else sympy.Product
        return called(expression(body), (expression(variable), expression(below.sides[1]), expression(above)))
    if operator == "lim" and isinstance(below, Relation) and below.operators == ("->",) and body is not None:
        return sympy.limit(expression(body), expression(below.sides[0]), expression(below.sides[1]))
    if operator == "int" and isinstance(body, Product):
        return _integral(body, below, above)
    raise Untranslatable(operator)


def _integral(body: Product, below: Node | None, above: Node | None) -> Expression:
    import sympy

    *inside, differential, variable = body.factors
    if differential != Symbol("d") or not isinstance(variable, Symbol) or below is None or above is None:
        raise Untranslatable("int")
    integrand = sympy.Mul(*(expression(factor) for factor in inside))
    return sympy.Integral(integrand, (expression(variable), expression(below), expression(above)))
