r"""Reading one JSON value out of a completion: strictly by default, out of running text by choice.

>>> find_value('{"a": 1}', allow_text=False)
FoundJson(value={'a': 1}, start=0, end=8)
>>> find_value('It is:\n```json\n[1, 2]\n```', allow_text=True).value
[1, 2]
>>> same(1, 1.0), same(1, True), same({"a": 1, "b": 2}, {"b": 2, "a": 1}), same([1, 2], [2, 1])
(True, False, True, False)

Strict is RFC 8259: no NaN, no comments, no key twice. A key that stands twice would let a completion say two
things and be judged by one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from rlenv.core.jsontypes import Json

_FENCED = re.compile(r"^```[^\n`]*\n(.*?)^```[^\S\n]*$", re.MULTILINE | re.DOTALL)
_OPENING = re.compile(r"[{\[]")
MAX_STARTS = 100
"""In running text, a value is looked for behind at most this many opening brackets."""
MAX_DEPTH = 100
"""Of lists and objects in each other: what goes deeper would meet the limits of Python's own stack."""


class FoundJson(NamedTuple):
    """A value, and the span of the text that wrote it."""

    value: Json
    start: int
    end: int


class Unreadable(ValueError):
    """No single JSON value can be read; `start` and `end` are the span of the text that shows it."""

    def __init__(self, problem: str, start: int = 0, end: int = 0) -> None:
        super().__init__(problem)
        self.start, self.end = start, end


def find_value(text: str, allow_text: bool) -> FoundJson:
    """The JSON value that a text is or, with `allow_text`, the one that it holds. Raises Unreadable."""
    if not allow_text:
        return _read(text, 0)
    blocks = list(_FENCED.finditer(text))
    if len(blocks) > 1:
        raise Unreadable(f"{len(blocks)} fenced blocks; expected one", blocks[0].start(), blocks[-1].end())
    if blocks:
        return _read(blocks[0][1], blocks[0].start(1))
    try:
        return _read(text, 0)
    except Unreadable:
        return _only_value(text)


def same(left: object, right: object) -> bool:
    """Equal as JSON: numbers by value, true is not 1, objects without order, arrays with it."""
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right
    if isinstance(left, str) or isinstance(right, str):
        return isinstance(left, str) and isinstance(right, str) and left == right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left) == len(right) and all(map(same, left, right))
    return False


def _read(text: str, offset: int) -> FoundJson:
    start = offset + len(text) - len(text.lstrip())
    bare = text.strip()
    try:
        value = cast("Json", _DECODER.decode(bare))
        if _too_deep(value):
            raise Unreadable(f"more than {MAX_DEPTH} values in each other", offset, offset + len(text))
        return FoundJson(value, start, start + len(bare))
    except Unreadable:
        raise
    except json.JSONDecodeError as error:
        at = start + error.pos
        raise Unreadable(f"not JSON: {error.msg}", at, at + 1) from error
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not JSON: {error}", offset, offset + len(text)) from error


def _only_value(text: str) -> FoundJson:
    """The one object or array in running text; whatever brackets stand outside of it must not be JSON too."""
    found: list[FoundJson] = []
    at, tried = 0, 0
    while (opening := _OPENING.search(text, at)) is not None:
        tried += 1
        if tried > MAX_STARTS:
            raise Unreadable(f"more than {MAX_STARTS} brackets before a JSON value", 0, len(text))
        try:
            value, at = _DECODER.raw_decode(text, opening.start())
            if not _too_deep(value):
                found.append(FoundJson(value, opening.start(), at))
        except (ValueError, RecursionError):
            at = opening.end()
    if len(found) != 1:
        raise Unreadable(f"{len(found) or 'no'} JSON values in the text; expected one", 0, len(text))
    return found[0]


def _too_deep(value: Json) -> bool:
    """Whether lists and objects stand in each other more than MAX_DEPTH deep."""
    layer: list[Json] = [value]
    for _ in range(MAX_DEPTH + 1):
        inner = [
            [*item.values()] if isinstance(item, dict) else item for item in layer if isinstance(item, (dict, list))
        ]
        if not inner:
            return False
        layer = [item for items in inner for item in items]
    return True


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return table


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:20]} is out of range")
    return value


def _constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_constant)
