r"""Values of trees to many digits, at points for the symbols: what tells unequal expressions apart cheaply.

Each thread has its own mpmath contexts, because mpmath changes the precision of a context while it computes.
Raises Undefined where a value does not exist or would cost too much. Functions without a meaning (f(x)) and
operations left undone get a value that depends on their name and arguments and on nothing else, so that they agree
with themselves and with nothing else.

>>> from rlenv.envs.math.grammar.answer import read
>>> too_costly(read("9^{9^9}")), too_costly(read("2^{100}")), too_costly(read("(10^8)!"))
('a number of more than 30000 digits', '', 'a number of more than 30000 digits')

Each node gets a bound on the size of its value, |log10|, as if nothing cancelled. Sums that cancel can only make
numbers smaller, and what divides by them is checked again, operation by operation, where it is evaluated.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from rlenv.core.errors import MissingExtra
from rlenv.envs.math.grammar.nodes import (
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
    children,
)

MAX_NODES = 1200
MAX_SIZE = 30_000.0
"""Digits of the largest number that is ever evaluated."""
MAX_ANGLE = 200.0
"""Digits of the argument of a sine: reducing it takes as many."""
_SYMBOL = 0.5
"""Symbols are evaluated at points of about 10 to this."""
_BOUNDED = frozenset({"sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "sech", "csch"})


class _TooCostly(ValueError):
    pass


def too_costly(node: Node) -> str:
    """Why this tree must not be evaluated, "" where it may."""
    count, waiting = 0, [node]
    while waiting:
        count += 1
        if count > MAX_NODES:
            return f"more than {MAX_NODES} parts"
        waiting.extend(children(waiting.pop()))
    try:
        _size(node)
    except (_TooCostly, OverflowError):
        return f"a number of more than {MAX_SIZE:.0f} digits"
    return ""


def _size(node: Node) -> float:
    """A bound on |log10| of the value, at least 0; raises _TooCostly above the limit."""
    found = _unchecked(node)
    if found > MAX_SIZE:
        raise _TooCostly
    return found


def _unchecked(node: Node) -> float:
    match node:
        case Number(value):
            return _log10(max(abs(value.numerator), value.denominator))
        case Constant():
            return 0.5
        case Symbol():
            return _SYMBOL
        case Sum(terms):
            return max(_size(term) for term in terms) + math.log10(len(terms))
        case Product(factors):
            return sum(_size(factor) for factor in factors)
        case Power(base, Number(value)):
            return _size(base) * abs(float(value)) if abs(value) <= MAX_SIZE * 10 else _over(_size(base))
        case Power(base, exponent):
            times = _largest(exponent)
            return _size(base) * 10.0**times if times < 10 else _over(_size(base))
        case Apply(name, args):
            return _applied(name, [_size(argument) for argument in args])
        case Standing():
            return 0.0
    return max((_size(child) for child in children(node)), default=0.0)


def _log10(number: int) -> float:
    return math.log10(number) if number < 10**15 else number.bit_length() * 0.30103


def _largest(node: Node) -> float:
    """A bound on log10 of the value, without the sign: small numbers have negative ones."""
    _size(node)
    match node:
        case Number(value):
            return math.log10(abs(value)) if value else -9.0
        case Sum(terms):
            return max(_largest(term) for term in terms) + math.log10(len(terms))
        case Product(factors):
            return sum(_largest(factor) for factor in factors)
        case Power(base, Number(value)) if value > 0 or isinstance(base, Number):
            return _largest(base) * float(value)
    return _size(node)


def _over(size: float) -> float:
    return 0.0 if size == 0 else math.inf


def _applied(name: str, sizes: list[float]) -> float:
    largest = max(sizes, default=0.0)
    if name in {"factorial", "factorial2"}:
        return math.inf if largest > 4.3 else 10.0**largest * max(largest, 0.4)
    if name == "binom":
        return math.inf if largest > 6 else min(10.0 ** max(sizes), 10.0 ** sizes[-1] * (largest + 1))
    if name in {"exp", "sinh", "cosh"}:
        return 10.0**largest if largest < 6 else math.inf
    if name in _BOUNDED:
        return 20.0 if largest < MAX_ANGLE else math.inf
    if name == "log":
        return 10.0
    return largest + 3


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
            raise MissingExtra("mpmath", "math") from error
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
                whole = mp.mpf(value.numerator)
                return whole if value.denominator == 1 else whole / value.denominator
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
        if abs(mp.mag(under) * over) > MAX_EXPONENT and abs(mp.log(abs(under)) * over) > MAX_EXPONENT:
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
        return mp.power(under, mp.mpf(exponent.numerator) / exponent.denominator)

    def _applied(self, name: str, args: list[Value]) -> Value:
        function = _FUNCTIONS.get(name)
        if function is None or not args:
            raise Undefined(f"{name} is not evaluated")
        if name in _BOUNDED_ARGUMENT and any(abs(argument) > MAX_ARGUMENT for argument in args):
            raise Undefined(f"{name} of something too large")
        if name == "log" and self.mp.re(args[0]) < 0:
            self.left_reals = True
        return function(self.mp, *args)

    def _opaque(self, name: str, keys: list[str]) -> Value:
        digest = hashlib.sha256("\x00".join((name, *keys)).encode("utf-8", "backslashreplace")).digest()
        return self.mp.mpf(int.from_bytes(digest[:16], "big")) / 2**127 + self.mp.mpf(1) / 7


def _logarithm(mp: Value, value: Value, base: Value | None = None) -> Value:
    return mp.log(value) if base is None else mp.log(value) / mp.log(base)


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
}  # fmt: skip
_BOUNDED_ARGUMENT = frozenset({"factorial", "factorial2", "binom", "sinh", "cosh", "tanh", "coth", "sech", "csch"})
