"""The type of what JSON can hold, the one way we write it, and the one way we read what others wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"

MAX_DEPTH = 100
"""Brackets within brackets. Hashing, writing and copying a value recurse, and Python stops that at 1,000 frames."""


def read_json(text: str | bytes, most_values: int | None = None) -> Json:
    """What `json.loads` gives, of text from a file or an option.

    Raises ValueError, in words for the one who wrote it, for what is not JSON, nests more than MAX_DEPTH brackets,
    holds more than `most_values` values or a whole number of more digits than Python reads (4,300: the time grows with
    their square).
    """
    if most_values is not None:
        text = text if isinstance(text, str) else text.decode("utf-8-sig", "surrogatepass")
        if _holds_more(text, most_values):
            raise ValueError(f"more than {most_values} values; send fewer at once")
    try:
        value: Json = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at line {error.lineno} column {error.colno}") from error
    except UnicodeDecodeError:
        raise
    except ValueError as error:  # the one other that json raises
        raise ValueError("a whole number of more than 4300 digits; write it as text") from error
    except RecursionError:
        raise ValueError(f"more than {MAX_DEPTH} brackets within one another") from None
    inside: list[object] = [value]
    for _ in range(MAX_DEPTH):
        inside = [inner for outer in inside for inner in _within(outer) if isinstance(inner, (dict, list))]
        if not inside:
            return value
    raise ValueError(f"more than {MAX_DEPTH} brackets within one another")


def _holds_more(text: str, most: int) -> bool:
    """Whether there are more values than this, known before they are made: they can take 30 times the text."""
    if text.count('"') // 2 + sum(map(text.count, ",[{")) <= most:
        return False
    text = text.replace(r"\\", "").replace(r"\"", "")  # what is left of quotes opens or closes a text
    values = end = 0
    while values <= most:
        start = text.find('"', end)
        between = len(text) if start < 0 else start
        values += sum(text.count(sign, end, between) for sign in ",[{") + 1
        end = text.find('"', start + 1) + 1
        if start < 0 or not end:
            return values > most
    return True


def _within(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))
"""Kept: `json.dumps` makes one each time, which takes longer than to write a short task with it."""


def canonical(value: object) -> str:
    """The same text for equal values, whatever the order of keys."""
    return _CANONICAL.encode(value)


def line(value: object) -> str:
    """One line of JSONL. ASCII, so that lone surrogates of a hostile completion can be written."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n"
