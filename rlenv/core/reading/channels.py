"""gpt-oss' channels: messages with a header. `analysis` is thought, `final` is said, `to=` calls a tool."""

from __future__ import annotations

import re
from typing import NamedTuple

from rlenv.core.reading.calls import CallBlock
from rlenv.core.reading.passage import Span
from rlenv.core.reading.traces import MAX_MARKS, Trace

CHANNEL_MARKS = ("<|start|>", "<|channel|>", "<|constrain|>", "<|message|>", "<|end|>", "<|return|>", "<|call|>")
_BEGINS = re.compile(r"\s*(?:<\|start\|>\s*assistant[^<]{0,200})?<\|channel\|>")  # `<|start|>assistant<|channel|>`
_HEADER = re.compile(r"<\|channel\|>(?P<channel>[^<]{0,200})(?:<\|constrain\|>[^<]{0,200})?<\|message\|>")
"""`<|channel|>commentary to=functions.add <|constrain|>json<|message|>`"""
_ROLE = re.compile(r"<\|start\|>([^<]{0,200})\Z")
"""What may stand before it: `<|start|>assistant to=functions.add`."""
_CUT_HEADER = re.compile(r"<\|(?:start|channel)\|>[^<]{0,200}(?:<\|c[^<]{0,200}|<\|m[^<>]{0,20})?\Z")  # <|channel|>fin
_STOP = re.compile(r"<\|(?:end|return|call|start|channel)\|>")  # `<|end|>`
_TERMINATORS = ("<|end|>", "<|return|>", "<|call|>")
_RECIPIENT = re.compile(r"\bto=([\w.:/-]{1,200})")  # `commentary to=functions.add`
_THOUGHT = "analysis"


class Channels(NamedTuple):
    """What the messages hold, in order."""

    traces: list[Trace]
    content: list[Span]
    calls: list[CallBlock]


def has_channels(text: str) -> bool:
    """Whether the text is written in channels: it begins with a message's header."""
    return _BEGINS.match(text) is not None


def read_channels(text: str) -> Channels:
    """The messages, and as content whatever stands outside of them."""
    read = Channels([], [], [])
    place = 0
    for _ in range(MAX_MARKS):
        header = _HEADER.search(text, place)
        if header is None:
            break
        role = _ROLE.search(text, max(place, header.start() - 220), header.start())
        start = role.start() if role else header.start()
        read.content.append(Span(place, start))
        stop = _STOP.search(text, header.end())
        inner_end = stop.start() if stop else len(text)
        place = stop.end() if stop and stop[0] in _TERMINATORS else inner_end
        recipient = _RECIPIENT.search(f"{role[1] if role else ''} {header['channel']}")
        inner = Span(header.end(), inner_end)
        if recipient is not None:
            name = recipient[1].removeprefix("functions.")
            read.calls.append(CallBlock(f"to={name}", start, place, *inner))
        elif header["channel"].strip() == _THOUGHT:
            read.traces.append(Trace(_THOUGHT, start, *inner, place, closed=stop is not None))
        else:
            read.content.append(inner)
    cut = _CUT_HEADER.search(text, max(place, len(text) - 500))
    read.content.append(Span(place, cut.start() if cut else len(text)))
    return read
