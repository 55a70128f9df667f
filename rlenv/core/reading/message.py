"""A chat message of an endpoint as one text, with the parts that the endpoint told apart.

>>> text, segments = message_text({"reasoning_content": "6 * 7 = 42", "content": "It is 42."})
>>> [(kind, text[start:end]) for kind, start, end in segments]
[('reasoning', '6 * 7 = 42'), ('content', 'It is 42.')]

The text is what a reasoning model would have written itself (`<think>`, `<tool_call>`), so that it can be shown and
trained on; how it is read is decided by the segments, whatever the parts hold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress

from rlenv.core.reading.calls import HERMES, HERMES_END
from rlenv.core.reading.reader import Segment, read


def response_message(output: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """What a model said last in the output of Responses: all that stands behind the last output of a tool."""
    tools = [i for i, item in enumerate(output) if item.get("type") == "function_call_output"]
    last = output[tools[-1] + 1 :] if tools else output
    thoughts = [_texts(item, "content") or _texts(item, "summary") for item in last if item.get("type") == "reasoning"]
    said = [_texts(item, "content") for item in last if item.get("type") == "message"]
    calls = [{"function": item} for item in last if item.get("type") == "function_call"]
    return {"reasoning_content": "\n".join(thoughts), "content": "".join(said), "tool_calls": calls}


def blocks_message(content: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """What a model said in the content blocks of Messages."""
    thoughts = [str(block.get("thinking", "")) for block in content if block.get("type") == "thinking"]
    said = [str(block.get("text", "")) for block in content if block.get("type") == "text"]
    calls = [
        {"function": {"name": block.get("name"), "arguments": block.get("input")}}
        for block in content
        if block.get("type") == "tool_use"
    ]
    return {"reasoning_content": "\n".join(thoughts), "content": "".join(said), "tool_calls": calls}


def _texts(item: Mapping[str, object], name: str) -> str:
    parts = item.get(name)
    if isinstance(parts, str):
        return parts
    blocks = parts if isinstance(parts, list) else []
    words = (block.get("text") or block.get("refusal") or "" for block in blocks if isinstance(block, Mapping))
    return "".join(map(str, words))


_OPEN, _CLOSE = "<think>\n", "\n</think>\n\n"


def message_text(message: Mapping[str, object]) -> tuple[str, tuple[Segment, ...]]:
    """The text of an assistant's message in OpenAI's form, and its segments; none where it holds content alone.

    Content that still holds a trace, because the server does not tell thoughts apart, is read as text is.
    """
    reasoning = _plain(message.get("reasoning_content") or message.get("reasoning"))
    content, calls = _plain(message.get("content")), message.get("tool_calls")
    calls = calls if isinstance(calls, list) else []
    if not reasoning and not calls:
        return content, ()
    text, segments = "", []
    if reasoning:
        segments.append(Segment("reasoning", len(_OPEN), len(_OPEN) + len(reasoning)))
        text = f"{_OPEN}{reasoning}{_CLOSE}"
    segments += _content(content, len(text), told_apart=bool(reasoning))
    text += content
    for call in calls:
        text += f"\n{HERMES}\n" if text else f"{HERMES}\n"
        body = _call(call)
        segments.append(Segment("tool_call", len(text), len(text) + len(body)))
        text += f"{body}\n{HERMES_END}"
    return text, tuple(segments)


def _content(content: str, start: int, *, told_apart: bool) -> list[Segment]:
    if told_apart:
        return [Segment("content", start, start + len(content))] if content else []
    found = read(content)
    spans = [("content", *span) for span in found.content.spans]
    spans += [("reasoning", trace.inner_start, trace.inner_end) for trace in found.traces]
    return [Segment(kind, start + first, start + last) for kind, first, last in sorted(spans, key=lambda s: s[1])]  # type: ignore[arg-type]


def _call(call: object) -> str:
    """A call as JSON; arguments that are no JSON stay the string that they are."""
    function = call.get("function", call) if isinstance(call, Mapping) else {}
    name = function.get("name") if isinstance(function, Mapping) else None
    arguments = function.get("arguments", {}) if isinstance(function, Mapping) else {}
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            arguments = json.loads(arguments) if arguments.strip() else {}
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


def _plain(content: object) -> str:
    """The text of a field: a string, or the texts of a list of blocks."""
    if isinstance(content, list):
        return "".join(str(block.get("text", "")) for block in content if isinstance(block, Mapping))
    return content if isinstance(content, str) else ""
