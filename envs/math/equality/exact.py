r"""Exact values: trees that are rational numbers, and decimals with the digits that they were written with.

>>> from rlenv.envs.math.grammar.answer import read
>>> rational(read(r"\frac{1}{2} + 3 \cdot 2^{-2}")), rational(read(r"\sqrt{2}")), rational(read(r"\sqrt{16}"))
(Fraction(5, 4), None, Fraction(4, 1))
>>> decimal(read("-0.0250"))
Decimal(value=Fraction(-1, 40), places=4, significant=3)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from operator import add, mul
from typing import NamedTuple

from rlenv.envs.math.grammar.nodes import MINUS_ONE, Apply, InBase, Matrix, Node, Number, Power, Product, Quantity, Sum

MAX_BITS = 100_000
"""Of a numerator or denominator; about the digits that the guard lets through."""
MAX_FACTORIAL = 2000


class Decimal(NamedTuple):
    """A decimal as written: its last digit stands for 10 to -places."""

    value: Fraction
    places: int
    significant: int


def rational(node: Node) -> Fraction | None:
    """The value of a tree of numbers, None where it is not rational, not defined or too long."""
    match node:
        case Number(value):
            return value
        case InBase(_, _, value):
            return value
        case Sum(terms):
            return _together(terms, add, 0)
        case Product(factors):
            return _together(factors, mul, 1)
        case Power(base, exponent):
            return _power(rational(base), rational(exponent))
        case Apply(name, args, True):
            return _applied(name, args)
        case Quantity(value, unit) if unit in {"", "unit", "units"}:
            return rational(value)
    return None


def decimal(node: Node) -> Decimal | None:
    """The decimal that a tree writes, with a sign and a power of ten; None for anything else."""
    if isinstance(node, Number):
        if node.places is None:
            return None
        written = abs(node.value) * Fraction(10) ** node.places
        return Decimal(node.value, node.places, len(str(int(written))) if written else 1)
    if isinstance(node, Product) and len(node.factors) == 2:
        first, second = node.factors
        if first == MINUS_ONE:
            inside = decimal(second)
            return inside and inside._replace(value=-inside.value)
        if isinstance(second, Power) and second.base == Number(Fraction(10)):
            inside, exponent = decimal(first), rational(second.exponent)
            if inside and exponent is not None and exponent.denominator == 1 and abs(exponent) < 400:
                return Decimal(
                    inside.value * Fraction(10) ** int(exponent), inside.places - int(exponent), inside.significant
                )
    return None


def _together(
    parts: tuple[Node, ...], combine: Callable[[Fraction, Fraction], Fraction], start: int
) -> Fraction | None:
    result = Fraction(start)
    for part in parts:
        value = rational(part)
        if value is None or bits(result) + bits(value) > MAX_BITS:
            return None
        result = combine(result, value)
    return result


def _power(base: Fraction | None, exponent: Fraction | None) -> Fraction | None:
    if base is None or exponent is None or (base == 0 and exponent <= 0):
        return None
    if exponent.denominator == 1:
        whole = int(exponent)
        return base**whole if abs(whole) * bits(base) <= MAX_BITS else None
    if abs(exponent.numerator) * bits(base) > MAX_BITS or exponent.denominator > 64:
        return None
    return _root(base**exponent.numerator, exponent.denominator)


def _root(value: Fraction, degree: int) -> Fraction | None:
    """The real root where it is rational."""
    if value < 0 and degree % 2 == 0:
        return None
    above, below = integer_root(abs(value.numerator), degree), integer_root(value.denominator, degree)
    if above is None or below is None:
        return None
    return Fraction(above if value > 0 else -above, below)


def integer_root(number: int, degree: int) -> int | None:
    """The whole root of a whole number that is not negative, None where there is none."""
    if degree == 2:
        root = math.isqrt(number)
    elif number.bit_length() > 2000:
        return None
    else:
        root = _floor_root(number, degree)
    return root if root**degree == number else None


def _floor_root(number: int, degree: int) -> int:
    if number < 2:
        return number
    guess = 1 << -(-number.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + number // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def determinant(matrix: Matrix) -> Fraction | None:
    """The determinant of a small matrix of rational numbers, by elimination."""
    rows = [[rational(cell) for cell in row] for row in matrix.rows]
    if len(rows) > 8 or any(len(row) != len(rows) or None in row for row in rows):
        return None
    numbers = [[value for value in row if value is not None] for row in rows]
    product = Fraction(1)
    for column in range(len(numbers)):
        pivot = next((row for row in range(column, len(numbers)) if numbers[row][column]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != column:
            numbers[column], numbers[pivot], product = numbers[pivot], numbers[column], -product
        product *= numbers[column][column]
        for row in range(column + 1, len(numbers)):
            share = numbers[row][column] / numbers[column][column]
            numbers[row] = [value - share * top for value, top in zip(numbers[row], numbers[column], strict=True)]
        if bits(product) > MAX_BITS:
            return None
    return product


def _applied(name: str, args: tuple[Node, ...]) -> Fraction | None:
    if name == "det" and len(args) == 1 and isinstance(args[0], Matrix):
        return determinant(args[0])
    found = [rational(argument) for argument in args]
    values = [value for value in found if value is not None]
    if len(values) < len(found) or not values:
        return None
    first = values[0]
    whole = all(value.denominator == 1 for value in values)
    match name:
        case "percent":
            return first / 100
        case "abs":
            return abs(first)
        case "floor":
            return Fraction(math.floor(first))
        case "ceil":
            return Fraction(math.ceil(first))
        case "max":
            return max(values)
        case "min":
            return min(values)
        case "factorial" if whole and 0 <= first <= MAX_FACTORIAL:
            return Fraction(math.factorial(int(first)))
        case "factorial2" if whole and 0 <= first <= MAX_FACTORIAL:
            return Fraction(math.prod(range(int(first), 0, -2)))
        case "binom" if whole and len(values) == 2 and 0 <= values[1] <= first <= MAX_FACTORIAL:
            return Fraction(math.comb(int(first), int(values[1])))
        case "gcd" if whole:
            return Fraction(math.gcd(*(int(value) for value in values)))
        case "lcm" if whole and sum(bits(value) for value in values) < MAX_BITS:
            return Fraction(math.lcm(*(int(value) for value in values)))
    return None


def bits(value: Fraction) -> int:
    """Of the longer of numerator and denominator."""
    return max(value.numerator.bit_length(), value.denominator.bit_length())
