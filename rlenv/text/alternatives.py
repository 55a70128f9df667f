"""How many different values a stated answer names.

>>> alternatives("3 or 4"), alternatives("3 (or 4)"), alternatives("1/2 or 0.5")
(('3', '4'), ('3', '4'), ('1/2',))
>>> alternatives("either $\\\\frac{1}{2}$ or maybe 2"), alternatives("1,234 apples")
(('\\\\frac{1}{2}', '2'), ('1,234 apples',))
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

LONGEST = 300
_OR = (
    r"(?:,?\s*\(?\s*(?:\\text\{\s*)?\b(?:and/or|or|alternatively|oder|ou|или|o)\b(?:\s*\})?"
    r"|\\(?:lor|vee)\b|或者?|または|\|\|?)"
)
_AND = r"(?:;|,(?!\d{3}(?!\d))|(?:\\text\{\s*)?\b(?:and|und|et|y)\b(?:\s*\})?|\\cup\b|、|，)"
_STRONG = re.compile(_OR, re.IGNORECASE)
_SPLIT = re.compile(f"{_OR}|{_AND}", re.IGNORECASE)
_MARKS = re.compile(r"\\(?:text|mathrm|mathbf|textbf)\s*\{|\\[()\[\]!,; {}]|[$*`{}]|\\left|\\right|\\quad")
_LEAD = re.compile(
    r"^(?:\s|[(:,.]|\b(?:either|maybe|perhaps|possibly|probably|else|even|also|then|it is|it's|is|be|about|just|"
    r"the|answer|could|might|may|one of)\b)+",
    re.IGNORECASE,
)
_NAME = re.compile(r"^[a-z]\w?\s*=\s*", re.IGNORECASE)
_FRACTION = re.compile(r"^(-?)\s*\\[dt]?frac\s*(?:\{(\d{1,15})\}|(\d))\s*(?:\{(\d{1,15})\}|(\d))$")
_NUMBER = re.compile(
    r"^(-?\s*[$€£]?\s*-?\d{1,15}(?:,\d{3})*(?:\.\d{1,15})?(?:e[-+]?\d{1,3}(?![\w.]))?|-?\.\d{1,15})(?:\s*/\s*(\d{1,15}))?\s*(\\?%)?",
    re.IGNORECASE,
)
"""`-$1,234.5`, `3/4`, `4.39e-3`, `12 %`."""
_FEW_WORDS = re.compile(r"(?:[\s-]?[^\W\d_]{1,15}[°²³.]?){0,4}°?")
_SHORT_NAME = re.compile(r"\(?[^\W\d]\w{0,11}\)?|[一-鿿]{1,6}")
_UNIT = re.compile(r"[a-z°]+", re.IGNORECASE)
_ROW = re.compile(r"(?<!\S)-?\d[\d.]*\s+-?\d[\d.]*\s+-?\d")
"""Three numbers in a row: `0 1 1`."""


def alternatives(text: str, *, also_lists: bool = False) -> tuple[str, ...]:
    """The different values between words for `or`; with `also_lists` between commas and `and` as well."""
    said = text[:LONGEST]
    if not (_SPLIT if also_lists else _STRONG).search(said):
        value = _bare(said)
        return (value,) if value else ()
    parts = [_bare(part) for part in (_SPLIT if also_lists else _STRONG).split(said)]
    different: list[str] = []
    for part in filter(None, parts):
        if not any(same_value(part, other) for other in different):
            different.append(part)
    return tuple(different)


def is_atomic(reference: object) -> bool:
    """True for a reference that is one value: no list, pair, interval, alternative or sentence."""
    if isinstance(reference, bool) or not isinstance(reference, (str, int, float)):
        return False
    return _is_atomic(str(reference))


@lru_cache(maxsize=1024)
def _is_atomic(text: str) -> bool:
    return (
        len(text) <= 60
        and not _ROW.search(text)
        and not re.search(r"\\pm|±|\\cup|[\[\]]|\\in\b|[<>≤≥]|\d\s*(?:-|–|—|to|\.\.+)\s*\d|\\l?e[q]?\b|\n", text)
        and (len(alternatives(text, also_lists=True)) == 1)
    )


def same_value(one: str, other: str) -> bool:
    """The same number within a hundredth, the same text, or the same amount in another unit as far as one can tell."""
    if one.casefold() == other.casefold():
        return True
    first, second = number(one), number(other)
    if first is None or second is None:
        return False
    if first == second or (abs(first - second) * 100 <= max(abs(first), abs(second)) and "." in one + other):
        return True
    units = [_UNIT.findall(_NUMBER.sub("", value, count=1)) for value in (one, other)]
    return bool(units[0] and units[1] and units[0][0] != units[1][0])


@lru_cache(maxsize=1024)
def number(text: str) -> Fraction | None:
    """The number a value begins with: whole, decimal, fraction or percentage; None where it does not."""
    fraction = _FRACTION.match(text)
    if fraction:
        below = int(fraction[4] or fraction[5])
        return Fraction(int(fraction[1] + (fraction[2] or fraction[3])), below) if below else None
    match = _NUMBER.match(text)
    if match is None:
        return None
    try:
        above = Fraction(re.sub(r"[\s,$€£]", "", match[1]))
    except ValueError:  # two signs, or more digits than Python reads
        return None
    below = int(match[2] or 1)
    return above / below / (100 if match[3] else 1) if below else None


def is_value(text: str) -> bool:
    """A number with a few words behind it, or a letter or short name."""
    if len(text) > 60:
        return False
    if _FRACTION.match(text):
        return True
    match = _NUMBER.match(text)
    if match is None:
        return bool(_SHORT_NAME.fullmatch(text))
    return bool(_FEW_WORDS.fullmatch(text, match.end()))


def _bare(part: str) -> str:
    """A value without mark-up, words of doubt before it and stops behind it."""
    kept = re.sub(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\\frac<\1><\2>", part)
    kept = _MARKS.sub("", kept).replace("\\frac<", "\\frac{").replace("><", "}{").replace(">", "}")
    kept = _NAME.sub("", _LEAD.sub("", kept).strip())
    if kept.count(")") > kept.count("("):
        kept = kept.replace(")", "")
    return kept.strip(" .,:;!?'\"\n\t")
