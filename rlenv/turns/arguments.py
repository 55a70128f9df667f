"""Whether the arguments of a call are those that the schema of its tool asks for, in words for who made the call.

>>> schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
>>> problem({"n": "3"}, schema)
"expected n to be integer, got the string '3'"
>>> problem({}, schema), problem({"n": 3}, schema)
('the argument n is missing', '')

It knows what rlenv.turns.schema writes, no more of JSON Schema. Time is linear in the arguments.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import cast

from rlenv.core.jsontypes import MAX_DEPTH, Json

KINDS: Mapping[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
SHOWN = 60
"""How many characters of a wrong value are repeated."""


def problem(arguments: Mapping[str, Json], schema: Mapping[str, Json]) -> str:
    """What is wrong with these arguments; empty for those that fit."""
    properties = cast("Mapping[str, Mapping[str, Json]]", schema["properties"])
    for name in cast("Sequence[str]", schema.get("required", ())):
        if name not in arguments:
            return f"the argument {name} is missing"
    for name, value in arguments.items():
        if name not in properties:
            takes = ", ".join(properties) or "no argument"
            return f"there is no argument {_shown(name)}; the tool takes {takes}"
        if found := _wrong(value, properties[name], name, 0):
            return found
    return ""


def _wrong(value: Json, schema: Mapping[str, Json], where: str, depth: int) -> str:
    if depth > MAX_DEPTH:
        return f"more than {MAX_DEPTH} brackets within one another"
    if value is None and schema.get("nullable"):
        return ""
    if isinstance(value, float) and not math.isfinite(value):
        return f"expected {where} to be a finite number, got {value}"
    options = cast("Sequence[Mapping[str, Json]]", schema.get("anyOf", ()))
    if options:
        fits = any(not _wrong(value, option, where, depth) for option in options)
        return "" if fits else f"expected {where} to be {' or '.join(map(_kind, options))}, got {_named(value)}"
    choices = cast("Sequence[Json]", schema.get("enum", ()))
    if choices and not any(type(value) is type(choice) and value == choice for choice in choices):
        return f"expected {where} to be one of {json.dumps(choices)}, got {_named(value)}"
    if not choices and not _is(value, schema.get("type", ())):
        return f"expected {where} to be {_kind(schema)}, got {_named(value)}"
    return _wrong_inside(value, schema, where, depth + 1)


def _wrong_inside(value: Json, schema: Mapping[str, Json], where: str, depth: int) -> str:
    """The first item or member that does not fit."""
    of_each = {key: cast("Mapping[str, Json]", schema.get(key, {})) for key in ("items", "additionalProperties")}
    if isinstance(value, dict):
        parts = [(f"{where}.{_shown(key)}", item, of_each["additionalProperties"]) for key, item in value.items()]
    elif isinstance(value, list):
        places = cast("Sequence[Mapping[str, Json]]", schema.get("prefixItems", ()))
        if places and len(places) != len(value):
            return f"expected {where} to have {len(places)} items, got {len(value)}"
        parts = [(f"{where}[{i}]", item, places[i] if places else of_each["items"]) for i, item in enumerate(value)]
    else:
        return ""
    return next((found for inner, item, each in parts if (found := _wrong(item, each, inner, depth))), "")


def _is(value: Json, stated: Json) -> bool:
    """Whether the value is of the type, or of one of the types; no type stands for any."""
    names = [stated] if isinstance(stated, str) else list(cast("Sequence[str]", stated))
    if not names:
        return True
    if isinstance(value, bool):
        return "boolean" in names
    return any(isinstance(value, KINDS[name]) for name in names)


def _kind(schema: Mapping[str, Json]) -> str:
    stated = schema.get("type", "anything")
    kind = stated if isinstance(stated, str) else " or ".join(cast("Sequence[str]", stated))
    return f"{kind} or null" if schema.get("nullable") else kind


def _named(value: Json) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (list, dict)):
        return "an array" if isinstance(value, list) else "an object"
    return f"the {'string' if isinstance(value, str) else 'number'} {_shown(value)}"


def _shown(value: Json) -> str:
    if isinstance(value, str):
        return repr(value[:SHOWN]) + ("..." if len(value) > SHOWN else "")
    return str(value)[:SHOWN]
