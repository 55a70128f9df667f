"""Numbers that a sentence spells, in digits: `twenty-five pears` as `25 pears`.

>>> in_digits("there are twelve thousand six hundred seconds")
'there are 12600 seconds'
>>> in_digits("three-fourths of it"), in_digits("no one of them has one")
('3/4 of it', 'no one of them has one')
"""

from __future__ import annotations

import re

from rlenv.envs.math.reading.names import FRACTIONS, NUMERALS, SCALES
from rlenv.envs.math.reading.nodes import Number
from rlenv.envs.math.reading.parser import numeral
from rlenv.envs.math.reading.units import UNIT_WORDS

MAX_CHARS = 600
MAX_WORDS = 10
"""A number in words has no more of them."""
_SPELLED = frozenset(NUMERALS) | frozenset(SCALES) | FRACTIONS.keys() | {f"{name}s" for name in FRACTIONS}
_WORDS = re.compile(r"[A-Za-z]+")  # twenty, five
_BETWEEN = re.compile(r"[ -]|\s?-\s?| and ")  # twenty-five, one hundred and five
_ONE_OF = re.compile(
    rf"\s+(?:in|out of|over|to|{'|'.join(word for word in UNIT_WORDS if len(word) > 2 and word.isalpha())})\b",
    re.IGNORECASE,
)
"""one in three, one hour"""
_STATES_ONE = re.compile(
    r"(?:\b(?:is|are|was|equals?|minus|negative|to|in|of|and|or|multiplicity)|[=:])\s*\Z", re.IGNORECASE
)
"""`one` is a number behind these, and a pronoun elsewhere."""


def in_digits(text: str) -> str:
    """The text with the numbers that it spells in digits; unchanged where it spells none."""
    if len(text) > MAX_CHARS:
        return text
    words = list(_WORDS.finditer(text))
    written, at, index = [], 0, 0
    while index < len(words):
        length, number = _longest(text, words, index)
        if number is None:
            index += 1
            continue
        first, last = words[index], words[index + length - 1]
        if (
            length > 1
            or first[0].lower() != "one"
            or _STATES_ONE.search(text, 0, first.start())
            or _ONE_OF.match(text, last.end())
        ):
            written += [text[at : first.start()], _digits(number)]
            at = last.end()
        index += length
    return "".join([*written, text[at:]])


def _longest(text: str, words: list[re.Match[str]], first: int) -> tuple[int, Number | None]:
    """How many words from here on spell one number, and which."""
    if words[first][0].lower() not in _SPELLED and words[first][0].lower() not in ("a", "an"):
        return 0, None
    end = first + 1
    while end < len(words) and end - first < MAX_WORDS and _joins(text, words, end):
        end += 1
    for stop in range(end, first, -1):
        run = [word[0].lower() for word in words[first:stop]]
        number = numeral(run) if run[0] in NUMERALS or len(run) > 1 else None
        if isinstance(number, Number) and run[-1] != "and":
            return stop - first, number
    return 0, None


def _joins(text: str, words: list[re.Match[str]], at: int) -> bool:
    """Whether a word goes on with the number before it."""
    word, between = words[at][0].lower(), text[words[at - 1].end() : words[at].start()]
    return (word in _SPELLED or word in ("and", "a")) and _BETWEEN.fullmatch(between) is not None


def _digits(number: Number) -> str:
    value = number.value
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
