"""One side of an equation in running text: its value, whatever words and units stand between its numbers.

>>> side("30 dollars for lunch - 25 dollars").value()
{'': Fraction(5, 1)}
>>> side("25% of $80").value(), side("2(x + 3) - 1").value(), side("12 more than").value()
({'': Fraction(20, 1)}, {'x': Fraction(2, 1), '': Fraction(5, 1)}, {'': Fraction(12, 1)})

Nothing here evaluates what has a large power: an exponent is a whole number of at most MAX_EXPONENT.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rlenv.envs.math.reading.units import UNIT_WORDS
from rlenv.envs.process.linear import Linear, TooLarge, constant, number, scaled, sum_of, unknown
from rlenv.envs.process.tokens import Token, tokenize

MAX_TOKENS = 90
MAX_DEPTH = 12
MAX_EXPONENT = 40
MAX_UNIT_WORDS = 5
MAX_REMARK = 14
HUNDREDTH = Fraction(1, 100)
_NO_UNIT = frozenset(
    {
        "times",
        "divided",
        "is",
        "are",
        "was",
        "of",
        "and",
        "or",
        "the",
        "after",
        "at",
        "because",
        "since",
        "which",
        "when",
    }
    | {"so", "but", "while", "then"}
)
_PREPOSITIONS = frozenset({"in", "for", "over", "on", "by", "from", "to", "with", "per", "every", "each"})
"""Behind these a number begins something new, as in `= 87 towels in 1 hour`."""
_NO_START = frozenset({"number", "unknown", "sign", "unread"})
"""What a side cannot begin behind."""
_UNIT_LETTERS = frozenset("ghLlms")
_END = Token("break", "")


class Unread(ValueError):
    """What is no arithmetic that this module reads."""


@dataclass(frozen=True)
class Side:
    """The pieces of one side."""

    tokens: tuple[Token, ...]

    def value(self, percent: Fraction = HUNDREDTH, changed: Mapping[int, Fraction] | None = None) -> Linear | None:
        """The exact value, None where it cannot be read. `changed` puts other numbers in place of pieces."""
        return self._exact if percent == HUNDREDTH and not changed else self._read(percent, changed or {})

    @cached_property
    def _exact(self) -> Linear | None:
        return self._read(HUNDREDTH, {})

    def _read(self, percent: Fraction, changed: Mapping[int, Fraction]) -> Linear | None:
        try:
            return _Reader(self.tokens, percent, changed).whole()
        except (Unread, TooLarge, ZeroDivisionError):
            return None

    def number(self, percent: Fraction = HUNDREDTH) -> Fraction | None:
        """The exact value where no unknown is in it."""
        form = self.value(percent)
        return None if form is None else number(form)

    @property
    def literals(self) -> list[int]:
        """Where the numbers stand."""
        return [at for at, token in enumerate(self.tokens) if token.kind == "number"]

    @property
    def is_lone(self) -> bool:
        """One number, with a sign or a unit at most."""
        if len(self.literals) != 1:
            return False
        value = self.tokens[self.literals[0]].value
        return self.number() in (value, -value, value / 100)

    @property
    def has_percent(self) -> bool:
        return any(token.text == "%" for token in self.tokens)

    @property
    def has_unknown(self) -> bool:
        return any(token.kind == "unknown" for token in self.tokens)

    @property
    def text(self) -> str:
        """The pieces, for a reason that a person reads."""
        return " ".join(token.currency + token.text for token in self.tokens)[:80]


def side(text: str) -> Side:
    """The side that a text is."""
    return Side(tuple(tokenize(text)))


def without_remarks(tokens: list[Token]) -> list[Token]:
    """Tokens without brackets that only say more of the number before them: `(20 cents)`, `(or 5 feet)`."""
    kept: list[Token] = []
    at = 0
    while at < len(tokens):
        end = _end_of_remark(tokens, at) if tokens[at].text == "(" and kept and kept[-1].text not in "+-*/(^=" else at
        if end == at:
            kept.append(tokens[at])
        at = max(end, at + 1)
    return kept


def _end_of_remark(tokens: list[Token], at: int) -> int:
    """The place behind a remark that opens here; the same place where none does."""
    for end in range(at + 1, min(len(tokens), at + MAX_REMARK)):
        if tokens[end].text == "(":
            return at
        if tokens[end].text == ")":
            inside = tokens[at + 1 : end]
            is_worked = any(token.kind == "sign" and token.text in "+-*/^" for token in inside)
            words = [token.kind == "word" for token in inside]
            if any(token.text.lower() == "remainder" for token in inside):
                return at
            return end + 1 if any(words) and (words[0] or not is_worked) else at
    return at


def longest_suffix(tokens: list[Token]) -> tuple[list[Token], Side | None]:
    """What stands left of the first equal sign, as the words of its name and the longest side behind them.

    A lone number behind words belongs to the name: `eggs in 8 boxes = ...`.
    """
    tokens = tokens[-MAX_TOKENS:]
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else _END
        if token.kind not in ("number", "unknown", "sign") or before.kind in _NO_START or _is_operator(tokens, at):
            continue
        found = Side(tuple(tokens[at:]))
        if found.value() is None:
            continue
        if at and found.is_lone and found.tokens[0].kind != "unknown":
            return tokens, None
        return tokens[:at], found
    return tokens, None


def _is_operator(tokens: list[Token], at: int) -> bool:
    """A plus or minus that follows words works on what they say."""
    return at > 0 and tokens[at].text in ("+", "-") and not (at + 1 < len(tokens) and tokens[at + 1].glued)


def longest_prefix(tokens: list[Token]) -> Side | None:
    """The side that tokens begin with; None where it is left hanging, as in `3 + the rest`."""
    tokens = tokens[:MAX_TOKENS]
    reader = _Reader(tuple(tokens), HUNDREDTH, {})
    try:
        reader.sum()
    except (Unread, TooLarge, ZeroDivisionError):
        return None
    following, last = reader.peek(), reader.peek(-1)
    if following.kind == "number" and last.text.lower() in _PREPOSITIONS:
        return Side(tuple(tokens[: reader.at]))
    if following.kind in ("sign", "number", "unread", "unknown") and following.text != ")":
        return None
    return Side(tuple(tokens[: reader.at]))


class _Reader:
    def __init__(self, tokens: tuple[Token, ...], percent: Fraction, changed: Mapping[int, Fraction]) -> None:
        self.tokens, self.percent, self.changed = tokens, percent, changed
        self.at, self.depth = 0, 0

    def peek(self, ahead: int = 0) -> Token:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else _END

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
            form = constant(_raised(number(form), number(self.atom())))
        return scaled(form, sign)

    def atom(self) -> Linear:
        token = self.peek()
        if token.kind == "number":
            form = constant(self._number())
        elif token.kind == "unknown":
            self.at += 1
            if self.peek().text == "(":
                raise Unread("a function")
            return unknown(token.text)
        elif token.text == "(":
            form = self._bracket()
        else:
            raise Unread(token.text)
        if self.peek().text == "%":
            self.at += 1
            form = scaled(form, self.percent)
        self._unit()
        return form

    def _number(self) -> Fraction:
        value = self.changed.get(self.at, self.peek().value)
        above, below = self.peek(1), self.peek(3)
        mixed = above.kind == "number" and self.peek(2).text == "/" and below.kind == "number" and not above.glued
        if self._is_tight_quotient():
            self.at += 3
            return value / self.peek(-1).value
        self.at += 1
        if mixed and above.value < below.value and not above.places and not below.places:
            self.at += 3
            value += above.value / below.value
        return value

    def _is_tight_quotient(self) -> bool:
        """The `2/3` of `2000 / 2/3`, which is one number."""
        before, number, slash, below = self.peek(-1) if self.at else _END, self.peek(), self.peek(1), self.peek(2)
        is_tight = slash.text == "/" and slash.glued and below.kind == "number" and below.glued
        return before.text == "/" and not number.glued and is_tight

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


def _raised(base: Fraction | None, exponent: Fraction | None) -> Fraction:
    if base is None or exponent is None or exponent.denominator != 1 or abs(exponent) > MAX_EXPONENT:
        raise Unread("a power")
    if abs(base.numerator).bit_length() > 40 or base.denominator.bit_length() > 40:
        raise Unread("a power of a large number")
    return base**exponent.numerator
