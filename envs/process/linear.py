"""Linear forms of unknowns with exact coefficients, and systems of equations between them.

>>> x = unknown("x")
>>> system = System()
>>> system.add(sum_of(scaled(x, Fraction(2)), constant(Fraction(-10))))  # 2x - 10 = 0
True
>>> system.add(sum_of(x, constant(Fraction(-6)))), system.value("x")  # x - 6 = 0
(False, Fraction(5, 1))
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

Linear: TypeAlias = dict[str, Fraction]
"""Coefficients by unknown; the constant stands under the empty name."""
CONSTANT = ""
MAX_BITS = 2000
"""Of a numerator or denominator; what grows beyond is not worked out."""
MAX_EQUATIONS = 24
MAX_UNKNOWNS = 12


class TooLarge(ArithmeticError):
    """A number that is not worth working out."""


def constant(value: Fraction) -> Linear:
    """The form of a number."""
    return {CONSTANT: value}


def unknown(name: str) -> Linear:
    """The form of an unknown alone."""
    return {name: Fraction(1)}


def number(form: Linear) -> Fraction | None:
    """The number that a form without unknowns is."""
    return form.get(CONSTANT, Fraction(0)) if all(name == CONSTANT or not c for name, c in form.items()) else None


def sum_of(left: Linear, right: Linear) -> Linear:
    """The sum of two forms."""
    return {name: _bounded(left.get(name, Fraction(0)) + right.get(name, Fraction(0))) for name in {**left, **right}}


def scaled(form: Linear, by: Fraction) -> Linear:
    """A form times a number."""
    return {name: _bounded(coefficient * by) for name, coefficient in form.items()}


def _bounded(value: Fraction) -> Fraction:
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits > MAX_BITS:
        raise TooLarge("a number too large to work out")
    return value


class System:
    """Equations `form = 0`, kept in reduced rows, so that each new one can be seen to contradict the others."""

    def __init__(self) -> None:
        self._rows: dict[str, Linear] = {}

    def add(self, form: Linear) -> bool:
        """False where the equation contradicts those before it, and is left out; True where it fits."""
        if len(self._rows) >= MAX_EQUATIONS or len(form) > MAX_UNKNOWNS:
            return True
        rest = self._reduced(form)
        pivot = next((name for name, coefficient in rest.items() if name != CONSTANT and coefficient), None)
        if pivot is None:
            return not rest.get(CONSTANT, Fraction(0))
        row = scaled(rest, 1 / rest[pivot])
        for name, other in self._rows.items():
            self._rows[name] = sum_of(other, scaled(row, -other.get(pivot, Fraction(0))))
        self._rows[pivot] = row
        return True

    def implies(self, form: Linear) -> bool:
        """Whether the equation says nothing that those before it do not say."""
        return not any(self._reduced(form).values())

    def value(self, name: str) -> Fraction | None:
        """The value of an unknown, where the equations settle it."""
        row = self._rows.get(name)
        if row is None or any(c for other, c in row.items() if other not in (CONSTANT, name)):
            return None
        return -row.get(CONSTANT, Fraction(0))

    def _reduced(self, form: Linear) -> Linear:
        for name, row in self._rows.items():
            if form.get(name):
                form = sum_of(form, scaled(row, -form[name]))
        return form
