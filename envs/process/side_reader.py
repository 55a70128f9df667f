"""The value of what stands on one side of an equation, read from its pieces: numbers, unknowns, signs, units.

>>> from rlenv.envs.process.tokens import tokenize
>>> Reader(tuple(tokenize("3 boxes * 12 eggs/box + 2(x + 1)")), HUNDREDTH, {}).whole()
{'': Fraction(38, 1), 'x': Fraction(2, 1)}

Words behind a number are its unit, `of` behind a share multiplies, and `2 1/2` is one number. An exponent is a whole
number of at most MAX_EXPONENT, and nothing is evaluated that is nested deeper than MAX_DEPTH.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from rlenv.envs.math.grammar.units import UNIT_WORDS
from rlenv.envs.process.linear import Linear, constant, number, scaled, sum_of, unknown
from rlenv.envs.process.tokens import Token

MAX_TOKENS = 90
MAX_DEPTH = 12
MAX_EXPONENT = 40
MAX_UNIT_WORDS = 5
HUNDREDTH = Fraction(1, 100)
_NO_UNIT = frozenset({"times", "divided", "is", "are", "was", "of", "and", "or", "the"}) | frozenset(
    {"after", "at", "because", "since", "which", "when", "so", "but", "while", "then"}
)
"""Words that end the unit before them."""
_UNIT_LETTERS = frozenset("ghLlms")
END = Token("break", "")


class Unread(ValueError):
    """What is no arithmetic that this module reads."""


class Reader:
    """Reads pieces from the left as a sum; `percent` is the worth of a percent sign, `changed` has other numbers."""

    def __init__(self, tokens: tuple[Token, ...], percent: Fraction, changed: Mapping[int, Fraction]) -> None:
        self.tokens, self.percent, self.changed = tokens, percent, changed
        self.at, self.depth = 0, 0

    def peek(self, ahead: int = 0) -> Token:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else END

    def whole(self) -> Linear:
        if len(self.tokens) > MAX_TOKENS:
            raise Unread("too long")
        form = self.sum()
        if self.at < len(self.tokens):
            raise Unread(self.peek().text)
        return form

    def sum(self) -> Linear:
        sign = self._signs()
        form = scaled(self.product(), sign)
        while self.peek().kind == "sign" and self.peek().text in ("+", "-"):
            sign = self._signs()
            form = sum_of(form, scaled(self.product(), sign))
        return form

    def _signs(self) -> Fraction:
        sign = Fraction(1)
        while self.peek().kind == "sign" and self.peek().text in ("+", "-"):
            sign = -sign if self.peek().text == "-" else sign
            self.at += 1
        return sign

    def product(self) -> Linear:
        form = self.power()
        while True:
            token = self.peek()
            if token.text == "*" or self._is_of():
                self.at += 1
                form = _times(form, self.power(signed=True))
            elif token.text == "/":
                self.at += 1
                form = _over(form, self.power(signed=True))
            elif self._is_factor(token):
                form = _times(form, self.power())
            else:
                return form

    def _is_of(self) -> bool:
        """`of` behind a percent sign or a fraction."""
        before = self.peek(-1)
        return (
            self.peek().text.lower() == "of" and self.at > 0 and (before.text in ("%", ")") or self._after_quotient())
        )

    def _after_quotient(self) -> bool:
        return self.at > 2 and self.peek(-1).kind == "number" and self.peek(-2).text == "/"

    def _is_factor(self, token: Token) -> bool:
        before = self.peek(-1)
        if token.kind == "unknown":
            return before.kind in ("number", "unknown") or before.text == ")"
        return token.text == "(" and (before.kind == "number" or before.text == ")")

    def power(self, signed: bool = False) -> Linear:
        sign = self._signs() if signed else Fraction(1)
        form = self.atom()
        if self.peek().text == "^":
            self.at += 1
            form = _raised(form, self.atom())
        return scaled(form, sign)

    def atom(self) -> Linear:
        token = self.peek()
        if token.kind == "number":
            form = constant(self._number() * self._percent())
        elif token.kind == "unknown":
            self.at += 1
            if self.peek().text == "(":
                raise Unread("a function")
            return unknown(token.text)
        elif token.text == "(":
            form = self._bracket()
        else:
            raise Unread(token.text)
        if token.kind != "number":
            form = scaled(form, self._percent())
        self._unit()
        return form

    def _percent(self) -> Fraction:
        """What a percent sign that follows makes of the number before it."""
        if self.peek().text != "%":
            return Fraction(1)
        self.at += 1
        return self.percent

    def _number(self) -> Fraction:
        value = self.changed.get(self.at, self.peek().value)
        above, below = self.peek(1), self.peek(3)
        mixed = above.kind == "number" and self.peek(2).text == "/" and below.kind == "number" and not above.glued
        self.at += 1
        if mixed and above.value < below.value and not above.places and not below.places:
            self.at += 3
            value += above.value / below.value
        return value

    def _bracket(self) -> Linear:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unread("too deep")
        self.at += 1
        form = self.sum()
        if self.peek().text != ")":
            raise Unread(self.peek().text)
        self.at += 1
        self.depth -= 1
        return form

    def _unit(self) -> None:
        """Words behind a number, and `/shoe` or `per shoe`."""
        for _ in range(3):
            words = 0
            while self.peek().kind == "word" and self.peek().text.lower() not in _NO_UNIT and words < MAX_UNIT_WORDS:
                if self._is_product_of_letters():
                    raise Unread(self.peek().text)
                self.at += 1
                words += 1
            if self._is_unit_letter():
                self.at += 1
                words = 1
            if self.peek().text == "/" and (self.peek(1).kind == "word" or self._is_unit_letter(1)):
                self.at += 2
                words = 1
            if not words:
                return

    def _is_product_of_letters(self) -> bool:
        """`ab` of `2ab` or `AD^2`, which is no unit."""
        token = self.peek()
        return self.peek(1).text == "^" or (
            token.glued and len(token.text) < 4 and token.text.lower() not in UNIT_WORDS
        )

    def _is_unit_letter(self, ahead: int = 0) -> bool:
        return self.peek(ahead).text in _UNIT_LETTERS and not (self.peek(ahead).glued and not ahead)


def _times(left: Linear, right: Linear) -> Linear:
    for factor, other in ((number(left), right), (number(right), left)):
        if factor is not None:
            return scaled(other, factor)
    raise Unread("a product of unknowns")


def _over(above: Linear, below: Linear) -> Linear:
    divisor = number(below)
    if divisor is None:
        raise Unread("an unknown below")
    return scaled(above, 1 / divisor)


def _raised(left: Linear, right: Linear) -> Linear:
    base, exponent = number(left), number(right)
    if base is None or exponent is None or exponent.denominator != 1 or abs(exponent) > MAX_EXPONENT:
        raise Unread("a power")
    if abs(base.numerator).bit_length() > 40 or base.denominator.bit_length() > 40:
        raise Unread("a power of a large number")
    return constant(base**exponent.numerator)
