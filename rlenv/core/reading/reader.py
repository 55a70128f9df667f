r"""The one reader of completions: what was thought, what was said, and which tools were called.

>>> said = read("<think>6 * 7 is 41? No, 42.</think>The answer is 42.")
>>> said.reasoning.text, said.content.text
('6 * 7 is 41? No, 42.', 'The answer is 42.')
>>> read("6 * 7 is 41? No.</think>42").content.text  # the chat template wrote the opening tag
'42'
>>> read("Write `<think>` first.").reasoning.text
''

Everything that is not recognised as reasoning, as a call or as a mark of the format is content. A trace ends at the
first closing mark of its own name; one that is never closed runs to the end. Marks that are quoted, or stand in code,
are text. docs/completions.md states the whole reading, format by format. Time is linear in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from rlenv.core.reading.calls import HERMES, HERMES_END, LLAMA, MISTRAL, CallBlock, CallFinder
from rlenv.core.reading.passage import Passage, ReadAs, Span, has_marks, plain_content
from rlenv.core.reading.quoting import QUOTES, Marks, Quoting
from rlenv.core.reading.traces import CLOSING, MAX_MARKS, TAGS, Trace, trace_at

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
    """What gpt-oss' messages hold, in order: `analysis` is thought, `final` is said, `to=` calls a tool."""

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


_WRAPPERS = ("<|begin_of_solution|>", "<|end_of_solution|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>")
"""Marks around content, which belong to nothing."""
_CALLS = (HERMES, MISTRAL, LLAMA)
_ALL = (*TAGS, *CLOSING, *_WRAPPERS, *_CALLS)
MARKS = frozenset({*_ALL, HERMES_END, *CHANNEL_MARKS})
"""Every mark that is read; a tokenizer that holds some as special tokens must not drop them from a text."""
_THINK = "<think>"
_MARKS = tuple(
    re.compile(first + "(?:" + "|".join(re.escape(mark[1:]) for mark in marks) + ")")
    for first, marks in ((re.escape(first), [m for m in _ALL if m.startswith(first)]) for first in "<[◁")
)


class Segment(NamedTuple):
    """A stretch `[start, end)` of a text whose kind is known, because an endpoint told them apart."""

    kind: Literal["reasoning", "content", "tool_call"]
    start: int
    end: int


class Reading(NamedTuple):
    """What a text holds."""

    text: str
    content: Passage
    traces: tuple[Trace, ...] = ()
    calls: tuple[CallBlock, ...] = ()

    @property
    def reasoning(self) -> Passage:
        """What stands in the traces."""
        return Passage.of(self.text, [Span(trace.inner_start, trace.inner_end) for trace in self.traces])

    def moved(self, whole: str, by: int) -> Reading:
        """The same reading of a text that stands at `by` in `whole`."""
        spans = tuple([Span(start + by, end + by) for start, end in self.content.spans])
        traces = tuple([trace.moved(by) for trace in self.traces])
        calls = tuple([block.moved(by) for block in self.calls])
        return Reading(whole, Passage(self.content.text, spans), traces, calls)


def read(text: str, read_as: ReadAs = "auto", segments: Sequence[Segment] = ()) -> Reading:
    """Tell apart what `text` holds. `segments`, where there are any, say it and are believed."""
    if segments:
        return _told(text, segments)
    usual = _usual(text) if read_as in ("auto", "tags") else None
    if usual is not None:
        return usual
    plain = plain_content(text, read_as)
    if plain is not None:
        return Reading(text, plain)
    if read_as == "llama3_json" and _is_call(text):
        return Reading(text, Passage("", ()), calls=(CallBlock("llama3", 0, len(text), 0, len(text)),))
    if "<|channel|>" in text and has_channels(text):
        found = read_channels(text)
        return Reading(text, Passage.of(text, found.content), tuple(found.traces), tuple(found.calls))
    return _Scan(text, read_as).reading()


def _usual(text: str) -> Reading | None:
    """One trace of `<think>` at the beginning, closed by a tag that nothing could quote, with no mark behind it.

    Most texts of reasoning models are of this form and need no scan; None for all others.
    """
    start = 0 if text.startswith("<") else len(text) - len(text.lstrip())
    if not text.startswith(_THINK, start):
        return None
    inner, closing = start + len(_THINK), TAGS[_THINK]
    place = text.find(closing, inner)
    end = place + len(closing)
    said = text[end:]
    if place < 0 or text[place - 1] in QUOTES or has_marks(said):
        return None
    if text.find("`", inner, place) >= 0 or text.find("~~~", inner, place) >= 0:
        return None
    blank = not said or said.isspace()
    content = Passage("", ()) if blank else Passage(said, (Span(end, len(text)),))
    return Reading(text, content, (Trace(_THINK, start, inner, place, end),))


def _told(text: str, segments: Sequence[Segment]) -> Reading:
    content = [Span(start, end) for kind, start, end in segments if kind == "content"]
    traces = [Trace("", start, start, end, end) for kind, start, end in segments if kind == "reasoning"]
    calls = [CallBlock("hermes", start, end, start, end) for kind, start, end in segments if kind == "tool_call"]
    return Reading(text, Passage.of(text, content), tuple(traces), tuple(calls))


def _is_call(text: str) -> bool:
    """Whether the whole text is one call in Llama 3's form."""
    body = text.strip()
    if not (body.startswith("{") and body.endswith("}")):
        return False
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "name" in value and bool({"parameters", "arguments"} & value.keys())


class _Scan:
    """One pass over the marks of a text."""

    def __init__(self, text: str, read_as: ReadAs) -> None:
        self._text = text
        self._template = read_as in ("auto", "llama3_json")
        """Whether the first tag may close what the chat template opened."""
        self._content: list[Span] = []
        self._traces: list[Trace] = []
        self._calls: list[CallBlock] = []
        self._from = 0
        """Where the content under way began."""
        self._quoting = Quoting(text)
        if read_as == "opened":
            self._opened()
        self._finder = CallFinder(text)

    def reading(self) -> Reading:
        """All that the text holds."""
        if has_marks(self._text):
            self._take_all()
        self._content.append(Span(self._from, len(self._text)))
        content = Passage.of(self._text, self._content)
        return Reading(self._text, content, tuple(self._traces), tuple(self._calls))

    def _take_all(self) -> None:
        place, marks = self._from, Marks(self._text, _MARKS)
        for _ in range(MAX_MARKS):
            mark = marks.next(place)
            if mark is None:
                break
            place = mark.end()
            if not self._quoting.holds(mark.start(), place):
                place = self._take(mark[0], mark.start(), place)

    def _take(self, mark: str, start: int, end: int) -> int:
        """Take what begins with a mark; the place to go on from."""
        if mark in TAGS:
            trace = trace_at(self._text, mark, start, self._quoting)
            self._traces.append(trace)
            return self._passed(start, trace.end)
        if mark in _CALLS:
            block = self._finder.at(mark, start)
            self._calls.append(block)
            return self._passed(start, block.end)
        if mark in _WRAPPERS:
            return self._passed(start, end)
        if self._template and not self._traces:
            return self._closes_template(mark, start, end)
        return end

    def _passed(self, start: int, end: int) -> int:
        """What stands in `[start, end)` is no content, and content goes on behind it."""
        self._content.append(Span(self._from, start))
        self._from = end
        self._quoting.begin(end)
        return end

    def _closes_template(self, mark: str, start: int, end: int) -> int:
        """All that was read so far was thought."""
        opening = next(opening for opening, closing in TAGS.items() if closing == mark)
        self._traces.append(Trace(opening, 0, 0, start, end, opened=False))
        self._content.clear()
        self._calls.clear()
        self._from = end
        self._quoting.begin(end)
        return end

    def _opened(self) -> None:
        """The trace in which the text begins, whichever closing mark comes first; an opening tag again is a mark."""
        lead = len(self._text) - len(self._text.lstrip())
        again = next((mark for mark in TAGS if self._text.startswith(mark, lead)), None)
        if again is not None:
            trace = trace_at(self._text, again, lead, self._quoting)
        else:
            marks = [mark for mark, closing in TAGS.items() if closing in self._text] or ["<think>"]
            traces = [trace_at(self._text, mark, 0, self._quoting, opened=False) for mark in marks]
            trace = min(traces, key=lambda each: each.end)
        self._traces.append(trace)
        self._from = trace.end
        self._quoting.begin(trace.end)
