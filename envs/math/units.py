r"""Units behind a number: how they are read, and when they may stand there.

>>> read_unit(r"\text{ square inches}"), read_unit("pears"), read_unit("+x")
('square inche', 'pear', None)
>>> unit_fits("", "pear", "How many pears are there?"), unit_fits("cm", "m", "")
(True, False)
"""

from __future__ import annotations

import re

_UNIT = re.compile(
    r"\^?\{?\\(?:circ|degree)\}?|°"
    r"|\\(?:text|textrm|textbf|mathrm|mbox)\{ ?(?P<words>[A-Za-z]+(?:[ /][A-Za-z]+){0,4})\.? ?\}"
    r"(?:\^\{?(?P<power>[23])\}?)?"
    r"|(?P<bare>[A-Za-z]{2,}(?:[ /][A-Za-z]+){0,4})"
)
_NO_UNITS = """
    hundred thousand million billion trillion dozen half pair k pi e i or and not plus minus times squared cubed mod
    sqrt log ln sin cos tan
"""
_COMMON = """
    degree cent dollar usd euro pound percent unit m cm mm km meter metre centimeter kilometer mile inch inche feet
    foot ft yard second sec s minute min hour hr h day week month year g kg gram kilogram ounce oz lb liter litre l
    ml gallon mph kmh square cubic per sq
"""
NO_UNITS = frozenset(_NO_UNITS.split())
"""Words that change the number before them: never taken for a unit."""
COMMON = frozenset(_COMMON.split())
"""Words that may stand behind a number whatever the question says, in the singular."""


def read_unit(text: str | None) -> str | None:
    """The unit in lower case and in the singular, "" for none, None for a tail that is no unit."""
    if not text:
        return ""
    match = _UNIT.fullmatch(text)
    if match is None:
        return None
    words = match["words"] or match["bare"] or "degree"
    return " ".join(_singular(word) for word in re.split("[ /]", words.lower())) + (match["power"] or "")


def unit_fits(gold: str, answer: str, question: str) -> bool:
    """True for the gold's own unit and, where it has none, for units that are common or in the question."""
    if gold:
        return gold == answer
    known = {_singular(word) for word in re.findall("[a-z]+", question.lower())} | COMMON
    return all(word in known and word not in NO_UNITS for word in answer.rstrip("23").split(" "))


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 2 else word
