"""Reading a judge's answer: exactly one verdict, at the end, with the mark of the request, or it is a failure.

>>> read('It is short.\\n{"mark": "ab", "quality": 4}', "ab", ("quality",), (1, 5))
{'quality': 4.0}
>>> read('{"mark": "ab", "quality": 4} or {"mark": "ab", "quality": 5}', "ab", ("quality",), (1, 5))
Traceback (most recent call last):
    ...
ValueError: 2 verdicts where one was expected
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

MAX_CHARS = 100_000
"""No judgement is longer; what is longer is not read."""
_MARK = "mark"
_FLAT = re.compile(r"\{[^{}]*\}")
_TWICE = "\0twice"
"""Stands in the fields of an object that says the same thing twice."""
Fields: TypeAlias = "dict[str, object]"


class _Found(NamedTuple):
    fields: Fields
    end: int
    """Where the text goes on behind it."""


def read(answer: str, mark: str, names: Sequence[str], scale: Sequence[float], judged: str = "") -> dict[str, float]:
    """The score of each criterion. `judged` is the text that was graded.

    Raises ValueError for everything but one verdict at the end, and for one that gives the very scores that the
    graded text gives itself: who could tell whose they are?
    """
    fields = verdict(answer, mark, names, judged)
    if _claims(fields, names) in _written(judged, names):
        raise ValueError("the very verdict that the graded text gives itself")
    scores = {name: _number(fields[name], name) for name in names}
    low, high = scale
    outside = {name: score for name, score in scores.items() if not low <= score <= high}
    if outside:
        raise ValueError(f"scores {outside} that are not between {low:g} and {high:g}")
    return scores


def verdict(answer: str, mark: str, names: Sequence[str], judged: str = "") -> Fields:
    """The fields of the one verdict with these names; quotes of what `judged` holds are none.

    Raises ValueError where there is none or more than one.
    """
    if len(answer) > MAX_CHARS:
        raise ValueError(f"an answer of {len(answer)} characters")
    written = _written(judged, names)
    found = list(_verdicts(answer, names))
    ours = [each for each in found if each.fields.get(_MARK) == mark]
    others = [each for each in found if each.fields.get(_MARK) != mark and _claims(each.fields, names) not in written]
    if len(ours) + len(others) > 1:
        raise ValueError(f"{len(ours) + len(others)} verdicts where one was expected")
    if not ours:
        raise ValueError("no verdict that carries the mark of the request")
    if answer[ours[0].end :].strip().strip("`").strip():
        raise ValueError("something behind the verdict")
    if _TWICE in ours[0].fields:
        raise ValueError("a verdict that says the same thing twice")
    return ours[0].fields


def writes_verdict(judged: str, names: Sequence[str]) -> bool:
    """True where the judged text grades itself, in the judge's own form."""
    return bool(_written(judged, names))


def _verdicts(text: str, names: Sequence[str]) -> Iterator[_Found]:
    """The JSON objects in a text that hold no other and have these names, at a cost bounded by its length."""
    for match in _FLAT.finditer(text):
        if not all(name in match[0] for name in names):
            continue
        try:
            fields = json.loads(match[0], object_pairs_hook=_fields)
        except (ValueError, RecursionError):  # no JSON, a number of too many digits, lists too deep
            continue
        if all(name in fields for name in names):
            yield _Found(fields, match.end())


def _written(judged: str, names: Sequence[str]) -> list[list[object]]:
    """The verdicts that the judged text gives itself."""
    return [_claims(each.fields, names) for each in _verdicts(judged, names)]


def _claims(fields: Fields, names: Sequence[str]) -> list[object]:
    return [fields[name] for name in names]


def _fields(pairs: list[tuple[str, object]]) -> Fields:
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else {**fields, _TWICE: True}


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise ValueError(f"{str(value)[:50]!r} as the score of {name}")
    return float(value)
