"""The type of what JSON can hold, and the one way we write it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"


def canonical(value: object) -> str:
    """The same text for equal values, whatever the order of keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def line(value: object) -> str:
    """One line of JSONL. ASCII, so that lone surrogates of a hostile completion can be written."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n"
