"""The numbers that a text names, in digits or in words, each with the word or sign behind it.

>>> text = "Two trays, three dozen eggs at $1.50 and 20% of two-thirds"
>>> [(str(found.value), found.unit) for found in quantities(text)]
[('2', 'trays'), ('36', 'eggs'), ('3/2', '$'), ('1/5', '%'), ('2/3', '')]
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from rlenv.envs.math.grammar.names import FRACTIONS, NUMERALS, SCALES
from rlenv.envs.math.grammar.nodes import Number
from rlenv.envs.math.grammar.parser import numeral
from rlenv.envs.process.tokens import Token, tokenize

_FACTORS = {"once": 1, "twice": 2, "thrice": 3, "double": 2, "doubled": 2, "doubles": 2, "triple": 3, "tripled": 3,
            "quadruple": 4, "couple": 2, "pair": 2, "pairs": 2, "both": 2, "single": 1, "dozen": 12, "dozens": 12,
            "score": 20, "twins": 2, "duo": 2, "trio": 3, "each": 1}  # fmt: skip
_PARTS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
_UNREAD = re.compile("[0-9]+(?::[0-9]+|st|nd|rd|th)")
"""A time of day, a ratio, a place in a row: numbers that belong to no equation."""


class Quantity(NamedTuple):
    """A number with the word behind it ("$" or "%" where one stands there) and its place among the tokens."""

    value: Fraction
    unit: str
    at: int
    end: int
    """The place of the token behind it, and of the percent sign where it has one."""
    is_written_out: bool = False
    """In words, or as part of a time, ratio or ordinal."""


@lru_cache(maxsize=64)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The numbers in order."""
    return tuple(quantities_in(tokenize(text)))


def quantities_in(tokens: list[Token]) -> list[Quantity]:
    """The numbers among tokens, in order."""
    found: list[Quantity] = []
    at = 0
    while at < len(tokens):
        if tokens[at].kind == "unread" and _UNREAD.fullmatch(tokens[at].text):
            parts = re.findall("[0-9]+", tokens[at].text)
            found += [Quantity(Fraction(part), "", at, at + 1, is_written_out=True) for part in parts]
        value, after, in_words = _number(tokens, at)
        if value is None:
            at += 1
            continue
        found.append(_quantity(tokens, value, at, after, in_words))
        at = after
    return found


def _quantity(tokens: list[Token], value: Fraction, at: int, after: int, in_words: bool) -> Quantity:
    following = tokens[after : after + 1]
    if following and following[0].text == "%":
        return Quantity(value / 100, "%", at, after + 1, in_words)
    if tokens[at].currency:
        return Quantity(value, "$", at, after, in_words)
    unit = following[0].text.lower() if following and following[0].kind == "word" else ""
    return Quantity(value, unit, at, after, in_words)


def _number(tokens: list[Token], at: int) -> tuple[Fraction | None, int, bool]:
    """The number that starts at a token, the place behind it, and whether it is written in words."""
    token = tokens[at]
    if token.kind == "number":
        return _digits(tokens, at)
    if token.kind != "word":
        return None, at, False
    words, after = _words(tokens, at)
    value, used = _spelled(words)
    if value is None:
        return None, at, False
    return value, min(after, at + max(1, used)), True


def _digits(tokens: list[Token], at: int) -> tuple[Fraction, int, bool]:
    value, after = tokens[at].value, at + 1
    if (
        _text(tokens, after) == "/"
        and after + 1 < len(tokens)
        and tokens[after + 1].kind == "number"
        and tokens[after + 1].value
    ):
        value, after = value / tokens[after + 1].value, after + 2
    while (scale := SCALES.get(_text(tokens, after).removesuffix("s"))) is not None:
        value, after = value * scale, after + 1
    return value, after, False


def _words(tokens: list[Token], at: int) -> tuple[list[str], int]:
    words: list[str] = []
    after = at
    while after < len(tokens) and tokens[after].kind == "word" and after - at < 6:
        words.append(tokens[after].text.lower())
        after += 1
    return words, after


def _spelled(words: list[str]) -> tuple[Fraction | None, int]:
    """The number that the first of the words spell, and how many of them do; a place in a row is a part before `of`."""
    first = words[0].partition("-")[0]
    part = _PARTS.get(first) or (FRACTIONS.get(first.removesuffix("s")) if words[1:2] == ["of"] else None)
    if first in _FACTORS or part:
        return Fraction(1, part) if part else Fraction(_FACTORS[first]), 1
    for used in range(len(words), 0, -1) if first in NUMERALS else ():
        found = numeral([one for word in words[:used] for one in word.replace("dozens", "dozen").split("-")])
        if isinstance(found, Number):
            return found.value, used
    return None, 0


def _text(tokens: list[Token], at: int) -> str:
    return tokens[at].text.lower() if at < len(tokens) else ""
