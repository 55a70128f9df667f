r"""From a text to what it is: `read` never raises, and what is no mathematics is words.

>>> read("8:34 P.M.").seconds, read(r"\textbf{(C)} 5").letter, read("No real solutions").text
(74040, 'C', 'no solution')
>>> read("2 3 5 7"), reading("2 3 5 7").flag
(Words(text='2 3 5 7'), 'number_spray')
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from rlenv.envs.math.grammar.atoms import in_base
from rlenv.envs.math.grammar.names import KNOWN, NUMERALS, phrase
from rlenv.envs.math.grammar.nodes import (
    Choice,
    Clock,
    Node,
    Number,
    Quantity,
    Words,
    negative,
    quotient,
)
from rlenv.envs.math.grammar.notation import MAX_CHARS, normalise
from rlenv.envs.math.grammar.parser import numeral, parse
from rlenv.envs.math.grammar.tokens import Unreadable

NUMBER = re.compile(r"-?(?:[0-9]{1,30}(?:\.(?P<places>[0-9]{1,30}))?)")  # 42, -1.50
_FRACTION = re.compile(r"\\[dt]?frac\{([0-9]{1,30})\}\{([1-9][0-9]{0,29})\}")  # \frac{3}{4}
_FONT = re.compile(
    r"\\(?:text|textbf|textrm|textit|mathrm|mathbf|mbox|bf|rm|boxed|textnormal|operatorname)\s*\{([^{}]*)\}"
)
_CLOCK = re.compile(
    r"([0-9]{1,2}):([0-5][0-9])(?::([0-5][0-9]))?\s*(?:o'clock)?\s*(?:([ap])\.?\s?m\.?)?", re.IGNORECASE
)
_HOUR = re.compile(r"()()([0-9]{1,2})\s*([ap])\.?\s?m\.?", re.IGNORECASE)
_CHOICE = re.compile(
    r"(?:option|choice|answer)?\s*(?:\(([A-Ja-j])\)|([A-J])(?:[.):](?=\s|$)|\)|$))\s*(?P<content>.*)",
    re.DOTALL | re.IGNORECASE,
)
_CONTENT_STARTS = re.compile(r"[+*/^=<>,;!|_]|-\s|\\(?:cdot|times|cup|cap|le|ge|in|pm|to)(?![a-zA-Z])|and\b|or\b|\(|\[")
_NEGATIVE = re.compile(r"(?:negative|minus)\s+([0-9a-z].*)", re.IGNORECASE)
_IN_WORDS = re.compile(r"([0-9A-Z.]+)\s*(?:\(\s*)?(?:in\s+)?base[ -](?:([0-9]{1,2})|([a-z]+))\s*\)?", re.IGNORECASE)
"""1101 base 2, 432 in base five"""
_BASE = re.compile(r"([0-9A-Z]+)\s*_\s*\{?\s*([0-9]{2})\s*\}?")
_PREFIXED = re.compile(r"0(?:x(?P<h>[0-9a-fA-F]+)|b(?P<b>[01]+)|o(?P<o>[0-7]+))")
"""0x2AF, 0b1011, 0o17."""


class ParsedAnswer(NamedTuple):
    """What a text is, the text in one spelling, and a flag where reading it hit a limit or a spray of numbers."""

    node: Node
    text: str
    flag: str = ""
    reason: str = ""


@lru_cache(maxsize=4096)
def reading(text: str) -> ParsedAnswer:
    """The text as a tree, or as words. Raises nothing but RecursionError, where the caller's stack is nearly full."""
    if len(text) > MAX_CHARS:
        return ParsedAnswer(Words(" ".join(text.split())), text, "cost_guard", f"more than {MAX_CHARS} characters")
    simple = _simple(text)
    if simple is not None:
        return ParsedAnswer(simple, text)
    plain = normalise(text)
    simple = _simple(plain)
    if simple is not None:
        return ParsedAnswer(simple, plain)
    special = _special(plain)
    if special is not None:
        return ParsedAnswer(special, plain)
    try:
        return ParsedAnswer(parse(plain), plain)
    except Unreadable as error:
        return ParsedAnswer(Words(phrase(_bare(plain))), plain, error.flag, str(error))


def _simple(text: str) -> Node | None:
    """What the grammar makes of a plain number or a plain fraction, without asking it."""
    number = NUMBER.fullmatch(text)
    if number is not None:
        return Number(Fraction(text), len(number["places"]) if number["places"] else None)
    fraction = _FRACTION.fullmatch(text)
    return quotient(Number(Fraction(fraction[1])), Number(Fraction(fraction[2]))) if fraction is not None else None


def read(text: str) -> Node:
    """The tree alone."""
    return reading(text).node


def _special(text: str) -> Node | None:
    """What has a form of its own: known phrases, times of day, options, digits with letters."""
    if not text or len(text) > 400:
        return None
    bare = _bare(text)
    return _known_phrase(bare) or _spelled_number(bare) or _clock(bare) or _choice(bare, text) or _digits(bare)


def _known_phrase(bare: str) -> Node | None:
    spelled = phrase(bare)
    return Words(spelled) if spelled in KNOWN else None


def _spelled_number(bare: str) -> Node | None:
    signed = _NEGATIVE.fullmatch(bare)
    if signed is not None:
        inside = reading(signed[1]).node
        return negative(inside) if isinstance(inside, (Number, Quantity)) else None
    return numeral(bare.lower().replace("-", " ").split()) if bare[:1].isalpha() else None


def _bare(text: str) -> str:
    """The text without font commands."""
    if "\\" not in text:
        return text
    before = ""
    while before != text and len(text) < MAX_CHARS:
        before, text = text, _FONT.sub(r"\1", text)
    return text.strip()


def _clock(text: str) -> Node | None:
    match = _CLOCK.fullmatch(text)
    hour, minute, second, half = match.groups() if match else (None, None, None, None)
    if match is None:
        match = _HOUR.fullmatch(text)
        if match is None:
            return None
        hour, minute, second, half = match[3], None, None, match[4]
    hours = int(hour or 0)
    half = half.lower() + "m" if half else ""
    if hours > 24 or (half and not 1 <= hours <= 12):
        return None
    if half:
        hours = hours % 12 + (12 if half == "pm" else 0)
    return Clock(hours * 3600 + int(minute or 0) * 60 + int(second or 0), half, text)


def _choice(bare: str, text: str) -> Node | None:
    match = _CHOICE.fullmatch(bare)
    if match is None:
        return None
    letter, content = match[1] or match[2], match["content"].strip()
    if match[1] is None and (bare == letter or not letter.isupper()):
        return None  # a letter alone is a symbol until the reference says otherwise
    if not content:
        return Choice(letter.upper(), None)
    if _CONTENT_STARTS.match(content):
        return None
    if match[1] is not None and match[1].islower() and "text" not in text:
        return None  # (a)x may well be a product
    return Choice(letter.upper(), reading(text[_behind(text, letter, content) :]).node)


def _behind(text: str, letter: str, content: str) -> int:
    """Where the content begins in the text that still has its font commands."""
    start = text.rfind(content)
    if start >= 0:
        return start
    at = text.find(letter) + 1
    while at < len(text) and text[at] in ").:} ":
        at += 1
    return at


def _digits(bare: str) -> Node | None:
    prefixed = _PREFIXED.fullmatch(bare)
    if prefixed is not None:
        return _based(prefixed[prefixed.lastgroup or 0], {"h": 16, "b": 2, "o": 8}[prefixed.lastgroup or "h"])
    match = _IN_WORDS.fullmatch(bare)
    if match is not None:
        base = int(match[2]) if match[2] else NUMERALS.get(match[3].lower(), 0)
        return _based(match[1], base) if 1 < base < 37 else None
    match = _BASE.fullmatch(bare)
    if match is None or match[1].isdecimal():
        return None
    if bare[0].isalpha() and (match[2] not in {"12", "16"} or len(match[1]) < 2):
        return None  # A_{16} is a symbol with an index
    return _based(match[1], int(match[2]))


def _based(digits: str, base: int) -> Node | None:
    try:
        return in_base(digits, base)
    except Unreadable:
        return None
