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

from rlenv.envs.math.reading.literals import in_base
from rlenv.envs.math.reading.names import NUMERALS
from rlenv.envs.math.reading.nodes import (
    Apply,
    Braces,
    Choice,
    Clock,
    Constant,
    Items,
    Node,
    Number,
    Product,
    Quantity,
    Relation,
    SetOperation,
    Symbol,
    Words,
    negative,
    quotient,
)
from rlenv.envs.math.reading.normalise import MAX_CHARS, normalise
from rlenv.envs.math.reading.parser import numeral, parse
from rlenv.envs.math.reading.phrases import KNOWN, phrase
from rlenv.envs.math.reading.tokens import Unreadable

_NUMBER = re.compile(r"-?(?:[0-9]{1,30}(?:\.(?P<places>[0-9]{1,30}))?)")  # 42, -1.50
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
_SHARE = re.compile(r"([0-9]+) (?:in|out of|chance in) ([0-9]+)", re.IGNORECASE)
"""1 in 6, 3 out of 4."""
_NEGATIVE = re.compile(r"(?:negative|minus)\s+([0-9a-z].*)", re.IGNORECASE)
_IN_WORDS = re.compile(r"([0-9A-Z.]+)\s*(?:\(\s*)?(?:in\s+)?base[ -](?:([0-9]{1,2})|([a-z]+))\s*\)?", re.IGNORECASE)
"""1101 base 2, 432 in base five"""
_MULTIPLE = re.compile(
    r"(?:(?P<name>[a-zA-Z]) (?:is )?|(?:all )?(?:the )?(?:integers? |numbers? )?(?:that are )?)"
    r"(?:an? |the )?(?:integer )?(?:multiples? of|divisible by) (?P<modulus>[0-9]{1,9})"
)
"""`n is a multiple of 3`, `all numbers divisible by 3`"""
_LEAVES = re.compile(
    r"(?:all |every )?(?P<name>[a-zA-Z]) (?:that |which )?(?:leaves?|ha(?:s|ve)|gives?|with|leaving) (?:a |the )?"
    r"remainder (?:of )?(?P<residue>[0-9]{1,9}) "
    r"(?:when|if|on|upon) (?:it is )?(?:divided|division) by (?P<modulus>[0-9]{1,9})"
)
"""`x leaves the remainder 5 when divided by 11`"""
_TIMES = re.compile(
    r"(?:(?P<name>[a-zA-Z]) (?:is )?|(?:all )?(?:the )?)(?:any |every |each |an? |the )?(?P<parity>odd|even|integer) "
    r"(?:multiples?|integer multiples?) of (?P<step>(?:[^a-zA-Z]|\\pi|\\[dt]?frac){1,30})"
)
r"""`x is any odd multiple of \pi/2`"""
_ALL_BUT = re.compile(
    r"(?:[a-z] (?:can be |may be |is ))?(?:all|any|every) (?:reals?|real (?:numbers?|values?))(?: of)?(?: [a-z])?"
    r" ?,? ?(?:except|but|other than|excluding|apart from)(?: for)? "
    r"(?P<taken>(?:[^a-zA-Z]|and\b|or\b|\b[a-z] ?=|\\pi){1,60})",
    re.IGNORECASE,
)
"""`all real numbers except 0 and 4`"""
_NAME = re.compile(r"\b[a-z] ?= ?")  # x = 4
_DIVIDES = re.compile(r"(?P<modulus>[0-9]{1,9}) ?(?:\\mid|\||divides) ?(?P<name>[a-zA-Z])")
r"""`3 \mid n`"""
_BASE = re.compile(r"([0-9A-Z]+)\s*_\s*\{?\s*([0-9]{2})\s*\}?")
_PREFIXED = re.compile(r"0(?:x(?P<h>[0-9a-fA-F]+)|b(?P<b>[01]+)|o(?P<o>[0-7]+))")
"""0x2AF, 0b1011, 0o17."""


class Reading(NamedTuple):
    """What a text is, the text in one spelling, and a flag where reading it hit a limit or a spray of numbers."""

    node: Node
    text: str
    flag: str = ""
    reason: str = ""


@lru_cache(maxsize=4096)
def reading(text: str) -> Reading:
    """The text as a tree, or as words. Raises nothing but RecursionError, where the caller's stack is nearly full."""
    if len(text) > MAX_CHARS:
        return Reading(Words(" ".join(text.split())), text, "cost_guard", f"more than {MAX_CHARS} characters")
    simple = _simple(text)
    if simple is not None:
        return Reading(simple, text)
    plain = normalise(text)
    simple = _simple(plain)
    if simple is not None:
        return Reading(simple, plain)
    special = _special(plain)
    if special is not None:
        return Reading(special, plain)
    try:
        return Reading(parse(plain), plain)
    except Unreadable as error:
        return Reading(Words(phrase(_bare(plain))), plain, error.flag, str(error))


def _simple(text: str) -> Node | None:
    """What the grammar makes of a plain number or a plain fraction, without asking it."""
    number = _NUMBER.fullmatch(text)
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
    return (
        _known_phrase(bare)
        or _spelled_number(bare)
        or _clock(bare)
        or _choice(bare, text)
        or _digits(bare)
        or _multiples(bare)
        or _all_but(bare)
    )


def _known_phrase(bare: str) -> Node | None:
    spelled = phrase(bare)
    return Words(spelled) if spelled in KNOWN else None


def _spelled_number(bare: str) -> Node | None:
    share = _SHARE.fullmatch(bare)
    if share is not None and int(share[2]):
        return quotient(Number(Fraction(share[1])), Number(Fraction(share[2])))
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


def _multiples(bare: str) -> Node | None:
    """What is divisible by a number, as the class of zero."""
    bare = " ".join(bare.split())
    times = _TIMES.fullmatch(bare) if "multiple" in bare else None
    if times is not None:
        step = reading(times["step"]).node
        zero, modulus = (
            (Number(Fraction(0)), step) if times["parity"] == "integer" else _alternate(times["parity"], step)
        )
        members = Apply("mod", (zero, modulus), known=False)
        return Relation((Symbol(times["name"]), members), ("equiv",)) if times["name"] else members
    left = _LEAVES.fullmatch(bare) if "remainder" in bare else None
    if left is not None and int(left["modulus"]):
        residue, modulus = (Number(Fraction(left[name])) for name in ("residue", "modulus"))
        return Relation((Symbol(left["name"]), Apply("mod", (residue, modulus), known=False)), ("equiv",))
    match = _MULTIPLE.fullmatch(bare) or _DIVIDES.fullmatch(bare)
    if match is None or not int(match["modulus"]):
        return None
    zero = Apply("mod", (Number(Fraction(0)), Number(Fraction(match["modulus"]))), known=False)
    return Relation((Symbol(match["name"]), zero), ("equiv",)) if match["name"] else zero


def _alternate(parity: str, step: Node) -> tuple[Node, Node]:
    """The residue and the modulus of the odd or the even multiples of a step."""
    return step if parity == "odd" else Number(Fraction(0)), Product((Number(Fraction(2)), step))


def _all_but(bare: str) -> Node | None:
    """All real numbers without some."""
    match = _ALL_BUT.fullmatch(" ".join(bare.split())) if "real" in bare else None
    taken = reading(_NAME.sub("", match["taken"])).node if match is not None else None
    if taken is None or isinstance(taken, Words):
        return None
    return SetOperation("minus", (Constant("reals"), Braces(taken.items if isinstance(taken, Items) else (taken,))))


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
