r"""Values of trees to many digits, at points for the symbols: what tells unequal expressions apart cheaply.

Each thread has its own mpmath contexts, because mpmath changes the precision of a context while it computes.
Raises Undefined where a value does not exist or would cost too much. Functions without a meaning (f(x)) and
operations left undone get a value that depends on their name and arguments and on nothing else, so that they agree
with themselves and with nothing else.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from rlenv.core.errors import MissingExtra
from rlenv.envs.math.reading.nodes import (
    Apply,
    Constant,
    InBase,
    Node,
    Number,
    Power,
    Product,
    Quantity,
    Standing,
    Sum,
    Symbol,
)

Value: TypeAlias = Any
"""A real or complex number of mpmath, which carries no types."""
Point: TypeAlias = Mapping[str, Fraction]
MAX_EXPONENT = 100_000
MAX_ARGUMENT = 10**6
_contexts = threading.local()


class Undefined(ArithmeticError):
    """The expression has no value here."""


def context(digits: int) -> Value:
    """This thread's mpmath context with that many digits."""
    made: dict[int, Value] = getattr(_contexts, "made", None) or {}
    _contexts.made = made
    if digits not in made:
        try:
            from mpmath import MPContext
        except ImportError as error:
            raise MissingExtra("sympy", "math") from error
        made[digits] = MPContext()
        made[digits].dps = digits
    return made[digits]


def evaluate(node: Node, point: Point, digits: int) -> Value:
    """The value of the tree at the point. Raises Undefined."""
    try:
        value = _Evaluation(context(digits), point).value(node)
    except (ArithmeticError, ValueError, TypeError, NotImplementedError) as error:
        raise Undefined(str(error)) from error
    if not context(digits).isfinite(value):
        raise Undefined("no finite value")
    return value


def leaves_reals(node: Node, point: Point, digits: int) -> bool:
    """Whether a root or a logarithm of something negative is taken on the way to the value."""
    evaluation = _Evaluation(context(digits), point)
    try:
        evaluation.value(node)
    except (ArithmeticError, ValueError, TypeError, NotImplementedError):
        return True
    return evaluation.left_reals


class _Evaluation:
    def __init__(self, mp: Value, point: Point) -> None:
        self.mp, self.point = mp, point
        self.left_reals = False

    def value(self, node: Node) -> Value:
        mp = self.mp
        match node:
            case Number(value) | InBase(_, _, value):
                return mp.mpf(value.numerator) / value.denominator
            case Symbol(name):
                return self._symbol(name)
            case Constant(name):
                return self._constant(name)
            case Sum(terms):
                total = mp.zero
                for term in terms:
                    total += self.value(term)
                return total
            case Product(factors):
                product = mp.one
                for factor in factors:
                    product *= self.value(factor)
                return product
            case Power(base, exponent):
                return self._power(base, exponent)
            case Apply(name, args, True):
                return self._applied(name, [self.value(argument) for argument in args])
            case Apply(name, args, False):
                return self._opaque(name, [mp.nstr(self.value(argument), 20) for argument in args])
            case Standing():
                return self._opaque("standing", [repr(node)])
            case Quantity(value, _):
                return self.value(value)
        raise Undefined(f"{type(node).__name__} has no value")

    def _symbol(self, name: str) -> Value:
        value = self.point.get(name)
        if value is None:
            raise Undefined(f"no value for {name}")
        return self.mp.mpf(value.numerator) / value.denominator

    def _constant(self, name: str) -> Value:
        if name == "pi":
            return +self.mp.pi
        if name == "e":
            return +self.mp.e
        if name == "i":
            return self.mp.mpc(0, 1)
        raise Undefined(f"{name} is no number")

    def _power(self, base: Node, exponent: Node) -> Value:
        mp = self.mp
        under, over = self.value(base), self.value(exponent)
        if under == 0:
            if mp.re(over) <= 0:
                raise Undefined("zero to a power that is not positive")
            return mp.zero
        size = abs(mp.log(abs(under))) if under else 0
        if size * abs(over) > MAX_EXPONENT:
            raise Undefined("a power too large to be evaluated")
        if isinstance(exponent, Number):
            return self._rational_power(under, exponent.value)
        if mp.re(under) < 0:
            self.left_reals = True
        return mp.power(under, over)

    def _rational_power(self, under: Value, exponent: Fraction) -> Value:
        """A power as people mean it: the odd root of a negative number is the real one."""
        mp = self.mp
        if exponent.denominator == 1:
            return under ** int(exponent)
        if exponent.denominator % 2 == 0 and mp.re(under) < 0:
            self.left_reals = True
        if exponent.denominator % 2 and mp.im(under) == 0 and mp.re(under) < 0:
            root = mp.power(-mp.re(under), mp.mpf(exponent.numerator) / exponent.denominator)
            return -root if exponent.numerator % 2 else root
        if exponent.denominator == 2:
            return mp.sqrt(under) ** exponent.numerator
        return mp.power(under, mp.mpf(exponent.numerator) / exponent.denominator)

    def _applied(self, name: str, args: list[Value]) -> Value:
        function = _FUNCTIONS.get(name)
        if function is None or not args:
            raise Undefined(f"{name} is not evaluated")
        if any(abs(argument) > MAX_ARGUMENT for argument in args) and name in _BOUNDED_ARGUMENT:
            raise Undefined(f"{name} of something too large")
        if name == "log" and self.mp.re(args[0]) < 0:
            self.left_reals = True
        return function(self.mp, *args)

    def _opaque(self, name: str, keys: list[str]) -> Value:
        digest = hashlib.sha256("\x00".join((name, *keys)).encode("utf-8", "backslashreplace")).digest()
        return self.mp.mpf(int.from_bytes(digest[:16], "big")) / 2**127 + self.mp.mpf(1) / 7


def _logarithm(mp: Value, value: Value, base: Value | None = None) -> Value:
    return mp.log(value) if base is None else mp.log(value) / mp.log(base)


def _extreme(pick: Callable[[Any], Any]) -> Callable[..., Value]:
    def extreme(mp: Value, *args: Value) -> Value:
        if any(mp.im(argument) != 0 for argument in args):
            raise Undefined("an order of complex numbers")
        return pick(args)

    return extreme


def _named(called: str) -> Callable[..., Value]:
    """The function of that name in whichever context computes it."""
    return lambda mp, value: getattr(mp, called)(value)


_FUNCTIONS: dict[str, Callable[..., Value]] = {
    **{
        name: _named(called)
        for name, called in {
            "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "sec": "sec", "csc": "csc", "arcsin": "asin",
            "arccos": "acos", "arctan": "atan", "arccot": "acot", "arcsec": "asec", "arccsc": "acsc", "sinh": "sinh",
            "cosh": "cosh", "tanh": "tanh", "coth": "coth", "sech": "sech", "csch": "csch", "floor": "floor",
            "ceil": "ceil", "sgn": "sign", "factorial": "factorial", "factorial2": "fac2", "abs": "fabs",
        }.items()
    },
    "log": _logarithm,
    "binom": lambda mp, n, k: mp.binomial(n, k),
    "degree": lambda mp, value: value * mp.pi / 180,
    "percent": lambda mp, value: value / 100,
    "max": _extreme(max),
    "min": _extreme(min),
}  # fmt: skip
_BOUNDED_ARGUMENT = frozenset({"factorial", "factorial2", "binom", "sinh", "cosh", "tanh", "coth", "sech", "csch"})
