"""The numbers of a question as variables, in the forms in which a working may use them.

>>> forms = variables("Tom has 12 eggs and sells 25% of them.")
>>> [str(value) for value in forms]
['12', '25', '75', '125', '1/4', '3/4', '5/4', '4']

Equal numbers of one kind are one variable. A percentage is also a share, what is left of the whole and the whole with
it, and a part of so many (a quarter), where the question has no such number; a fraction is also its two parts.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from rlenv.envs.process.functions import FUNCTIONS, Functions, constant, few, variable
from rlenv.envs.process.quantities import Quantity, quantities
from rlenv.envs.process.tokens import Token, tokenize

MAX_VARIABLES = 24
_HUNDRED = Fraction(100)
_CENTS = frozenset({"cents", "cent", "¢"})
_SCALES = (12, 100, 1000, 10**6, 10**9)
"""`3 dozen` may be used as 3 or as 36."""


class _Number(NamedTuple):
    """A number of the question as it is written: `3` of `3 dozen`, `25` of `25%`."""

    value: Fraction
    kind: str
    """`%`, `cents`, `fraction`, or nothing."""
    scale: Fraction = Fraction(1)


def variables(question: str) -> dict[Fraction, Functions]:
    """By value, the functions that a number of this value may be."""
    found: dict[Fraction, Functions] = {}
    tokens = tokenize(question)
    numbers = dict.fromkeys(_number(quantity, tokens[quantity.at]) for quantity in quantities(question))
    asked = [number for number in numbers if number.value not in (0, 1)]
    for place, number in enumerate(asked[:MAX_VARIABLES]):
        for form, made in _forms(2 * place, number):
            found[form] = few((*found.get(form, ()), *made))
    for place, number in enumerate(asked[:MAX_VARIABLES]):
        if number.kind == "%":
            found.setdefault(100 / number.value, FUNCTIONS.over(constant(_HUNDRED), variable(2 * place, number.value)))
    return found


def _number(quantity: Quantity, first: Token) -> _Number:
    value = quantity.value
    if quantity.unit == "%":
        return _Number(100 * value, "%")
    if first.value and value / first.value in _SCALES:
        return _Number(first.value, "", value / first.value)
    if value.denominator > 1 and value < 1 and first.places <= 0:
        return _Number(value, "fraction")
    return _Number(value, "cents" if quantity.unit in _CENTS else "")


def _forms(place: int, number: _Number) -> list[tuple[Fraction, Functions]]:
    value = number.value
    if number.kind == "fraction":
        return _of_a_fraction(place, value)
    whole = variable(place, value)
    hundredth = (value / 100, FUNCTIONS.scaled(whole, Fraction(1, 100)))
    if number.kind == "%":
        return [*_of_a_whole(value, whole, _HUNDRED), *_of_a_whole(*hundredth, Fraction(1))]
    scaled = (value * number.scale, FUNCTIONS.scaled(whole, number.scale))
    return [(value, whole), *([scaled] if number.scale > 1 else []), *([hundredth] if number.kind == "cents" else [])]


def _of_a_whole(value: Fraction, form: Functions, whole: Fraction) -> list[tuple[Fraction, Functions]]:
    rest = FUNCTIONS.plus(constant(whole), FUNCTIONS.scaled(form, Fraction(-1)))
    return [(value, form), (whole - value, rest), (whole + value, FUNCTIONS.plus(constant(whole), form))]


def _of_a_fraction(place: int, value: Fraction) -> list[tuple[Fraction, Functions]]:
    """`3/4` as 3 and 4; what is left are 1 of 4 parts. A part of its kind, such as a half, has a 1 above."""
    above, below = Fraction(value.numerator), Fraction(value.denominator)
    parts = variable(place + 1, below)
    taken = constant(above) if above == 1 else variable(place, above)
    left = FUNCTIONS.plus(parts, FUNCTIONS.scaled(taken, Fraction(-1)))
    share = FUNCTIONS.over(taken, parts)
    shares = _of_a_whole(value, share, Fraction(1))
    return [*shares, (below, parts), (above, taken), (below - above, left), (1 / value, FUNCTIONS.over(parts, taken))]
