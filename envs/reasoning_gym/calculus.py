"""Antiderivatives, checked by differentiating the answer as it is read, and nothing simplified.

A value here is a pair (f(x), f'(x)) at one point, in complex numbers of 60 digits. An answer F is right when
F' equals the integrand at several points. The points follow from a hash of the answer, so that no answer can
be made to fit them. Unevaluated integrals, other functions and other names do not exist here.

>>> is_antiderivative("x**2 + C", "2*x", "x"), is_antiderivative("x**2.001 + C", "2*x", "x")
(True, False)
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from rlenv.envs.reasoning_gym.expressions import evaluate
from rlenv.envs.reasoning_gym.readers import Malformed

DIGITS = 60
POINTS = 4
TOLERANCE = 1e-25
LARGEST = 1e60
"""Values beyond it are refused: a tower of powers would cost more than it could be worth."""


class Dual(NamedTuple):
    """A value and its derivative, as mpmath numbers."""

    value: Any
    slope: Any


@dataclass(frozen=True)
class Duals:
    """Values with their derivatives at the point where `variable` is `x`."""

    context: Any
    variable: str
    x: Any

    def number(self, text: str) -> Dual:
        return Dual(self.context.mpf(text), self.context.mpf(0))

    def name(self, name: str) -> Dual:
        if name == self.variable:
            return Dual(self.x, self.context.mpf(1))
        constants = {"C": 1, "E": self.context.e, "pi": self.context.pi}
        if name not in constants:
            raise Malformed(f"expected the variable {self.variable}, C, E or pi, got {name!r}")
        return Dual(+self.context.mpf(constants[name]), self.context.mpf(0))

    def call(self, function: str, argument: Dual) -> Dual:
        if function not in _FUNCTIONS:
            raise Malformed(f"expected one of {', '.join(_FUNCTIONS)}, got {function!r}")
        return self._bounded(lambda: _FUNCTIONS[function](self.context, argument))

    def add(self, left: Dual, right: Dual) -> Dual:
        return self._bounded(lambda: Dual(left.value + right.value, left.slope + right.slope))

    def negate(self, value: Dual) -> Dual:
        return Dual(-value.value, -value.slope)

    def multiply(self, left: Dual, right: Dual) -> Dual:
        return self._bounded(
            lambda: Dual(left.value * right.value, left.slope * right.value + left.value * right.slope)
        )

    def divide(self, left: Dual, right: Dual) -> Dual:
        def quotient() -> Dual:
            value = left.value / right.value
            return Dual(value, (left.slope - value * right.slope) / right.value)

        return self._bounded(quotient)

    def power(self, base: Dual, exponent: Dual) -> Dual:
        def constant() -> Dual:
            below = base.value ** (exponent.value - 1)
            return Dual(below * base.value, exponent.value * below * base.slope)

        def varying() -> Dual:
            value = base.value**exponent.value
            logarithm = self.context.log(base.value)
            return Dual(value, value * (exponent.slope * logarithm + exponent.value * base.slope / base.value))

        return self._bounded(constant if exponent.slope == 0 else varying)

    def _bounded(self, compute: Callable[[], Dual]) -> Dual:
        try:
            result = compute()
        except (ValueError, OverflowError) as error:  # what mpmath raises at a pole
            raise Malformed(f"no value at a point: {error}") from error
        for part in result:
            if not abs(part) < LARGEST:
                raise Malformed(f"a value beyond {LARGEST:g}")
        return result


def is_antiderivative(answer: str, integrand: str, variable: str) -> bool:
    """True when the derivative of the answer is the integrand. Raises Malformed for what is not a formula."""
    import mpmath  # type: ignore[import-untyped, unused-ignore]

    context = mpmath.MPContext()
    context.dps = DIGITS
    checked = 0
    for x in _points(context, answer):
        try:
            wanted = evaluate(integrand, Duals(context, variable, x)).value
        except Malformed:  # the integrand has a pole there
            continue
        slope = evaluate(answer, Duals(context, variable, x)).slope
        if abs(slope - wanted) > TOLERANCE * max(1, abs(wanted)):
            return False
        checked += 1
        if checked == POINTS:
            return True
    raise RuntimeError(f"the integrand {integrand!r} has no value at any point tried")


def _points(context: Any, answer: str) -> Iterator[Any]:
    """Numbers in [-2, 2] that nobody can know before the answer is written."""
    for place in range(8 * POINTS):
        digest = hashlib.blake2b(f"{place}:{answer}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        yield context.mpf(int.from_bytes(digest)) / 2**62 - 2


def _chain(value: Any, slope: Any, inner: Dual) -> Dual:
    return Dual(value, slope * inner.slope)


def _sqrt(context: Any, inner: Dual) -> Dual:
    root = context.sqrt(inner.value)
    return _chain(root, 1 / (2 * root), inner)


_FUNCTIONS: dict[str, Callable[[Any, Dual], Dual]] = {
    "sin": lambda m, u: _chain(m.sin(u.value), m.cos(u.value), u),
    "cos": lambda m, u: _chain(m.cos(u.value), -m.sin(u.value), u),
    "tan": lambda m, u: _chain(m.tan(u.value), 1 + m.tan(u.value) ** 2, u),
    "asin": lambda m, u: _chain(m.asin(u.value), 1 / m.sqrt(1 - u.value**2), u),
    "acos": lambda m, u: _chain(m.acos(u.value), -1 / m.sqrt(1 - u.value**2), u),
    "atan": lambda m, u: _chain(m.atan(u.value), 1 / (1 + u.value**2), u),
    "sinh": lambda m, u: _chain(m.sinh(u.value), m.cosh(u.value), u),
    "cosh": lambda m, u: _chain(m.cosh(u.value), m.sinh(u.value), u),
    "exp": lambda m, u: _chain(m.exp(u.value), m.exp(u.value), u),
    "log": lambda m, u: _chain(m.log(u.value), 1 / u.value, u),
    "ln": lambda m, u: _chain(m.log(u.value), 1 / u.value, u),
    "sqrt": _sqrt,
}
