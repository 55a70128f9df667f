"""Written formulas, evaluated as they are read, without `eval`: in fractions, or in any other algebra.

What it covers: numbers, names, brackets, + - * / **, signs and functions of one argument, with Python's
precedence. What keeps a hostile formula cheap: its length, the depth of its brackets and the digits of a
number are limited, and the algebra says which names, functions and powers exist.

>>> evaluate("(10 - 4)*-2 / 3", Fractions()) == -4
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, NoReturn, Protocol, TypeVar

from rlenv.envs.reasoning_gym.readers import Malformed

T = TypeVar("T")

MAX_CHARS = 2000
MAX_DEPTH = 40
MAX_NUMBER_CHARS = 16
_SYMBOLS = {"+", "-", "*", "/", "**", "(", ")"}
_TOKEN = re.compile(r"[ \t\r\n]*(?:([0-9]+(?:\.[0-9]+)?)|([A-Za-z]+)|(\*\*|[-+*/()]))")


class Algebra(Protocol[T]):
    """What the operations of a formula mean. Each may raise Malformed or ZeroDivisionError."""

    def number(self, text: str) -> T: ...
    def name(self, name: str) -> T: ...
    def call(self, function: str, argument: T) -> T: ...
    def add(self, left: T, right: T) -> T: ...
    def negate(self, value: T) -> T: ...
    def multiply(self, left: T, right: T) -> T: ...
    def divide(self, left: T, right: T) -> T: ...
    def power(self, base: T, exponent: T) -> T: ...


def evaluate(text: str, algebra: Algebra[T]) -> T:
    """The value of a formula. Raises Malformed for what is not one, division by zero included."""
    try:
        return _Reader(tokens(text), algebra).read()
    except ZeroDivisionError as error:
        raise Malformed("division by zero") from error


def tokens(text: str) -> list[str]:
    """Numbers, names and signs, in order."""
    text = text.rstrip(" \t\r\n")
    if len(text) > MAX_CHARS:
        _refuse(f"at most {MAX_CHARS} characters", f"{len(text)}")
    found, place = [], 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None:
            _refuse("a number, a name or an operator", text[place : place + 20])
        if token[1] and len(token[1]) > MAX_NUMBER_CHARS:
            _refuse(f"numbers of at most {MAX_NUMBER_CHARS} characters", token[1][:20])
        found.append(token[1] or token[2] or token[3])
        place = token.end()
    return found


@dataclass
class Fractions:
    """Exact arithmetic on whole and decimal numbers: no names, no functions, no powers."""

    used: list[Fraction] = field(default_factory=list)
    """Every number that the formula wrote, in order."""

    def number(self, text: str) -> Fraction:
        self.used.append(Fraction(text))
        return self.used[-1]

    def name(self, name: str) -> Fraction:
        _refuse("numbers only", name)

    def call(self, function: str, argument: Fraction) -> Fraction:
        _refuse("no functions", function)

    def add(self, left: Fraction, right: Fraction) -> Fraction:
        return left + right

    def negate(self, value: Fraction) -> Fraction:
        return -value

    def multiply(self, left: Fraction, right: Fraction) -> Fraction:
        return left * right

    def divide(self, left: Fraction, right: Fraction) -> Fraction:
        return left / right

    def power(self, base: Fraction, exponent: Fraction) -> Fraction:
        _refuse("no powers", "**")


class _Reader(Generic[T]):
    """Recursive descent: sum > product > sign > power > atom."""

    def __init__(self, found: list[str], algebra: Algebra[T]) -> None:
        self._tokens, self._place, self._depth = found, 0, 0
        self._algebra = algebra

    def read(self) -> T:
        value = self._sum()
        if self._peek():
            _refuse("the end of the formula", self._peek())
        return value

    def _peek(self) -> str:
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        self._place += 1
        return token

    def _sum(self) -> T:
        value = self._product()
        while self._peek() in ("+", "-"):
            sign, right = self._take(), self._product()
            value = self._algebra.add(value, right if sign == "+" else self._algebra.negate(right))
        return value

    def _product(self) -> T:
        value = self._signed()
        while self._peek() in ("*", "/"):
            times = self._take() == "*"
            right = self._signed()
            value = self._algebra.multiply(value, right) if times else self._algebra.divide(value, right)
        return value

    def _signed(self) -> T:
        negative = False
        while self._peek() in ("+", "-"):
            negative ^= self._take() == "-"
        value = self._power()
        return self._algebra.negate(value) if negative else value

    def _power(self) -> T:
        base = self._atom()
        if self._peek() != "**":
            return base
        self._take()
        self._deeper()
        exponent = self._signed()
        self._depth -= 1
        return self._algebra.power(base, exponent)

    def _atom(self) -> T:
        token = self._take()
        if token == "(":
            return self._bracket()
        if token in _SYMBOLS or not token:
            _refuse("a number, a name or a bracket", token)
        if token[0].isdigit():
            return self._algebra.number(token)
        if self._peek() == "(":
            self._take()
            return self._algebra.call(token, self._bracket())
        return self._algebra.name(token)

    def _bracket(self) -> T:
        """What stands up to the closing bracket; the opening one is read already."""
        self._deeper()
        value = self._sum()
        if self._take() != ")":
            _refuse("a closing bracket", self._peek())
        self._depth -= 1
        return value

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            _refuse(f"at most {MAX_DEPTH} brackets inside each other", "more")


def _refuse(expected: str, got: str) -> NoReturn:
    raise Malformed(f"expected {expected}, got {got!r}")
