r"""One call of a tool: the name and the arguments, decoded when they are asked for.

>>> text = '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'
>>> decode_calls(text, CallBlock("hermes", 0, len(text), 11, 49))
(ToolCall(name='add', arguments={'a': 1}, start=0, end=61, problem=''),)

A call that cannot be read is one with a `problem`, in words for the policy that made it; it never raises.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from rlenv.core.jsontypes import Json
from rlenv.core.reading import Reading
from rlenv.core.reading.calls import NAMED, CallBlock

MAX_CHARS = 1_000_000
"""No call is longer; what is longer is not decoded."""

_BETWEEN = re.compile(r"\s*;?\s*")  # `{..} ; {..}`


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call, with the span `[start, end)` of the text that made it."""

    name: str
    arguments: Mapping[str, Json] = field(hash=False)
    start: int
    end: int
    problem: str = ""
    """Why it cannot be read; empty for a call that can."""


def tool_calls(reading: Reading) -> tuple[ToolCall, ...]:
    """The calls in a text that was read, in order, decoded now."""
    return tuple(call for block in reading.calls for call in decode_calls(reading.text, block))


def decode_calls(text: str, block: CallBlock) -> tuple[ToolCall, ...]:
    """The calls of one block: one, or several in the forms that list them."""
    body = text[block.inner_start : block.inner_end].strip()
    if len(body) > MAX_CHARS:
        return (_broken(block, f"expected a call of at most {MAX_CHARS} characters, got {len(body)}"),)
    try:
        return tuple(_call(block, *each) for each in _decoded(body, block))
    except (ValueError, RecursionError) as error:
        return (_broken(block, f"the call is not valid JSON: {str(error)[:200]}"),)


def _decoded(body: str, block: CallBlock) -> Iterator[tuple[object, object]]:
    """The names and arguments in a block, still unchecked."""
    if block.form.startswith("to="):
        yield block.form[3:], json.loads(body) if body else {}
    elif block.form == "mistral" and (named := NAMED.match(body)):
        yield named[1], json.loads(body[named.end() :])
    elif block.form == "llama3":
        yield from map(_parts, _separated(body))
    else:
        decoded = json.loads(body)
        yield from map(_parts, decoded if isinstance(decoded, list) and block.form == "mistral" else [decoded])


def _separated(body: str) -> Iterator[object]:
    """JSON values with `;` between them. Raises ValueError."""
    decoder, place = json.JSONDecoder(), 0
    while place < len(body):
        value, place = decoder.raw_decode(body, place)
        yield value
        rest = _BETWEEN.match(body, place)
        place = rest.end() if rest else place


def _parts(value: object) -> tuple[object, object]:
    if not isinstance(value, dict):
        return None, None
    return value.get("name"), value.get("arguments", value.get("parameters", {}))


def _call(block: CallBlock, name: object, arguments: object) -> ToolCall:
    if not isinstance(name, str) or not name:
        return _broken(block, 'expected an object with "name" and "arguments"')
    if isinstance(arguments, str):
        arguments = json.loads(arguments) if arguments.strip() else {}
    if not isinstance(arguments, dict):
        return _broken(block, f"expected the arguments of {name[:50]} as an object", name)
    return ToolCall(name, cast("dict[str, Json]", arguments), block.start, block.end)


def _broken(block: CallBlock, problem: str, name: str = "") -> ToolCall:
    return ToolCall(name, {}, block.start, block.end, problem)
