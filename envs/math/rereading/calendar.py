r"""Dates and times of day in another notation than the reference's.

>>> list(on_calendar("March 1, 2024", "2024-03-01")), list(on_calendar("June 4", "4th June"))
(['March 1, 2024'], ['June 4'])
>>> list(on_calendar("3:30", "half past three")), list(on_calendar("7:30 p.m.", "Ankunft: 19:30 Uhr"))
(['3:30'], ['19:30'])
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rlenv.envs.math.reading.nodes import Number
from rlenv.envs.math.reading.parser import numeral

MAX_CHARS = 80
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[12][0-9]{3})"
_DATES = tuple(
    re.compile(rf"(?:on )?(?:the )?{form}", re.IGNORECASE)
    for form in (
        rf"{_MONTH} (?:the )?{_DAY}(?:,? {_YEAR})?",  # March 1st, 2024
        rf"{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?",  # 1 March 2024
        rf"{_YEAR}-(?P<number>[01][0-9])-{_DAY}",  # 2024-03-01
    )
)
_LABELLED = re.compile(
    r"(?:(?:[^\W\d_]+ ?){1,4}:\s*|(?:at|um|à|a las) )?(?P<clock>[0-2]?[0-9][:.h][0-5][0-9])"
    r"(?:\s*(?:uhr|h|hrs?|hours))?(?P<half>\s*[ap]\.?\s?m\.?)?",
    re.IGNORECASE,
)
"""`Ankunft: 19:30 Uhr`"""
_SPOKEN = re.compile(
    r"(?:at )?(?:(?P<part>half|(?:a )?quarter|[a-z]+(?:[ -][a-z]+)?)(?: minutes?)? (?P<side>past|after|to|before) )?"
    r"(?P<hour>[a-z]+|[0-9]{1,2})(?P<sharp> o['’]?clock)?",
    re.IGNORECASE,
)
"""`half past three`, `ten minutes to four`, `five o'clock`"""


class Date(NamedTuple):
    """A day of a year; 0 for a year that is not said."""

    year: int
    month: int
    day: int


def on_calendar(gold: str, answer: str) -> Iterator[str]:
    """The reference where the answer is the same date; a time of day in digits."""
    said = " ".join(re.sub(r"\\(?:text|mathrm|textbf)\s*\{([^{}]*)\}|[*$~]", r" \1 ", answer).split()).strip(" .")
    if not said or len(said) > MAX_CHARS or len(gold) > MAX_CHARS:
        return
    plain = " ".join(re.sub(r"\\text\s*\{([^{}]*)\}|[$~]|\\(?=\s)", r" \1 ", gold).split()).strip(" .")
    expected, date = _date(plain), _date(said)
    if expected and date and expected[1:] == date[1:] and (not expected.year or not date.year or expected == date):
        yield gold
    if not re.search(r"[0-9]:[0-9]{2}", plain):
        return
    labelled = _LABELLED.fullmatch(said)
    if labelled is not None:
        yield re.sub("[.h]", ":", labelled["clock"].lower()) + (labelled["half"] or "")
    if (spoken := _spoken(said.lower())) is not None:
        yield spoken


def _date(text: str) -> Date | None:
    found = next(filter(None, (form.fullmatch(text) for form in _DATES)), None)
    if found is None:
        return None
    parts = found.groupdict()
    month = int(parts["number"]) if parts.get("number") else _MONTHS.index(parts["month"][:3].lower()) + 1
    return Date(int(parts["year"] or 0), month, int(parts["day"]))


def _spoken(said: str) -> str | None:
    """A time of day in words, in digits: 3:30 for half past three."""
    found = _SPOKEN.fullmatch(said)
    hour = _number(found["hour"]) if found is not None else None
    if found is None or hour is None or not 1 <= hour <= 12 or not (found["part"] or found["sharp"]):
        return None
    part = found["part"] or ""
    minutes = 0 if not part else 30 if part == "half" else 15 if part.endswith("quarter") else _number(part)
    if minutes is None or not 0 <= minutes < 60 or (part == "half" and found["side"] in ("to", "before")):
        return None
    if found["side"] in ("to", "before"):
        hour, minutes = hour - 1 or 12, 60 - minutes
    return f"{hour}:{minutes:02}"


def _number(word: str) -> int | None:
    spelled = numeral(word.replace("-", " ").split())
    return int(spelled.value) if isinstance(spelled, Number) else None
