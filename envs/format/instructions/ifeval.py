"""Rows in the form of IFEval, as instructions of ours: data/ifeval.json says which kinds each of its kinds is.

>>> row = {"prompt": "Be brief.", "instruction_id_list": ["length_constraints:number_words"],
...        "kwargs": [{"num_words": 9, "relation": "less than", "language": None}]}
>>> of_row(row)["answer"]
{'instructions': [{'kind': 'words_at_most', 'params': {'count': 8}}]}

The checks are ours and go by what the sentence says; the public checker is laxer in places (a keyword may be a part of
a word there, and a postscript may stand anywhere) and elsewhere stricter. A row asks for no answer, so any filler that
follows its instructions is paid.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.envs.format.instructions.measures import DATA

KINDS_OF: Mapping[str, Any] = json.loads((DATA / "ifeval.json").read_text(encoding="utf-8"))
LANGUAGES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "ru": "Russian"}


def of_row(row: Mapping[str, Json]) -> Mapping[str, Json]:
    """The row with its instructions for an answer; a row of another form as it is. Raises TaskError."""
    if "instruction_id_list" not in row:
        return row
    ids, given = row["instruction_id_list"], row.get("kwargs")
    if not isinstance(ids, Sequence) or not isinstance(given, Sequence) or len(ids) != len(given) or not ids:
        raise TaskError(f"expected as many kwargs as instructions, got {given!r:.80} for {ids!r:.80}")
    read: list[Json] = [one for name, each in zip(ids, given, strict=True) for one in _instructions(str(name), each)]
    kept = {key: value for key, value in row.items() if key in ("id", "prompt")}
    return {**kept, "answer": {"instructions": read}}


def _instructions(name: str, given: object) -> list[Json]:
    kinds = KINDS_OF.get(name)
    if kinds is None or not isinstance(given, Mapping):
        raise TaskError(
            f"expected an instruction out of {', '.join(KINDS_OF)} with its kwargs, got {name} {given!r:.80}"
        )
    if isinstance(kinds, Mapping):
        relation = given.get(kinds["by"])
        if relation not in ("at least", "less than"):
            raise TaskError(f"{name}: expected {kinds['by']} 'at least' or 'less than', got {relation!r:.80}")
        kinds = kinds[relation]
    return [
        {"kind": kind, "params": {key: _value(name, value, given) for key, value in params.items()}}
        for kind, params in kinds
    ]


def _value(name: str, source: object, given: Mapping[str, Any]) -> Json:
    """A list as it is; else what the row gives under this name, less one where it says so."""
    if not isinstance(source, str):
        return source  # type: ignore[return-value]
    key, less, _ = source.partition("-")
    value: Any = given.get(key)
    if value is None or (less and type(value) is not int):
        raise TaskError(f"{name}: expected a value for {key}, got {value!r:.80}")
    if key == "language" and value not in LANGUAGES:
        raise TaskError(f"{name}: expected a language out of {', '.join(LANGUAGES)}, got {value!r:.80}")
    return value - 1 if less else LANGUAGES[value] if key == "language" else value
