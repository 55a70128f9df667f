"""The numbers of a question as variables, in the forms in which a working may use them.

>>> forms = variables("Tom has 12 eggs and sells 25% of them.")
>>> [str(value) for value in forms]
['12', '25', '1/4', '75', '3/4', '125', '5/4', '4']

Equal numbers of one kind are one variable. A percentage is also a share, what is left of the whole and the whole with
it; a fraction is also its two parts.
"""

from __future__ import annotations

from fractions import Fraction

from rlenv.envs.process.functions import FUNCTIONS, Functions, constant, few, variable
from rlenv.envs.process.quantities import quantities
from rlenv.envs.process.tokens import tokenize

MAX_VARIABLES = 24
_HUNDRED = Fraction(100)
_CENTS = frozenset({"cents", "cent", "¢"})
_SCALES = (12, 100, 1000, 10**6, 10**9)
"""`3 dozen` may be used as 3 or as 36."""


def variables(question: str) -> dict[Fraction, Functions]:
    """By value, the functions that a number of this value may be."""
    found: dict[Fraction, Functions] = {}
    kinds: dict[tuple[Fraction, bool], None] = {}
    scales: dict[Fraction, Fraction] = {}
    cents: set[Fraction] = set()
    tokens = tokenize(question)
    for quantity in quantities(question):
        value = quantity.value
        first = tokens[quantity.at].value
        if first and value / first in _SCALES:
            scales[first] = value / first
            value = first
        if quantity.unit in _CENTS:
            cents.add(value)
        if value not in (0, 1):
            kinds.setdefault((value, quantity.unit == "%"))
    for place, (value, is_percent) in enumerate([*kinds][:MAX_VARIABLES]):
        for form, made in _forms(2 * place, value, is_percent):
            found[form] = few((*found.get(form, ()), *made))
        if value in cents:
            found[value / 100] = FUNCTIONS.scaled(found[value], Fraction(1, 100))
        if value in scales:
            found[value * scales[value]] = FUNCTIONS.scaled(found[value], scales[value])
    return found


def _forms(place: int, value: Fraction, is_percent: bool) -> list[tuple[Fraction, Functions]]:
    if is_percent:
        percent = variable(place, 100 * value)
        share = FUNCTIONS.scaled(percent, Fraction(1, 100))
        return [*_of_a_whole(100 * value, percent, _HUNDRED), *_of_a_whole(value, share, Fraction(1))]
    if value.denominator == 1:
        return [(value, variable(place, value))]
    if value.denominator in (10, 100, 1000) or value > 1:
        whole = variable(place, value)
        return [(value, whole)]
    return _of_a_fraction(place, value)


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
