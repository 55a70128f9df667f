r"""Parts of a text that are looked at as one, and where they stand in it.

>>> said = Passage.of("<think>7?</think>So 42.", [Span(17, 23)])
>>> said.text, said.place(3, 5), said.within(20, 22)
('So 42.', Span(start=20, end=22), Span(start=3, end=5))
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias, get_args

ReadAs: TypeAlias = Literal["auto", "tags", "opened", "llama3_json", "text"]
"""How a text is read where the text alone cannot tell:

- `auto`: a closing tag that nothing opened ends a trace that the chat template opened;
- `tags`: only what the text itself opens is a trace;
- `opened`: the chat template opened a trace, in which the text begins;
- `llama3_json`: as `auto`, and a text that is one JSON object with a name and parameters is a call;
- `text`: nothing is recognised, all is content.
"""
READ_AS: tuple[ReadAs, ...] = get_args(ReadAs)
_HINTS = ("think>", "<|", "tool_call>", "reasoning>", "thinking>", "thought>", "[TOOL_CALLS]", "THINK]", "think▷")
"""A text without any of them holds no mark; one without `<` and `◁` only where it holds one of these two:"""
_BRACKET_HINTS = ("[TOOL_CALLS]", "THINK]")


class Span(NamedTuple):
    """Characters `[start, end)` of a text."""

    start: int
    end: int


JOINT = "\n"
"""Stands between two parts: words on both sides of a trace are not one word."""


class Passage(NamedTuple):
    """The parts of a text in order, joined by line breaks."""

    text: str
    spans: tuple[Span, ...]
    """Where the parts stand in the whole text; none for a passage that holds nothing."""

    @classmethod
    def of(cls, whole: str, spans: Iterable[Span]) -> Passage:
        """The parts of `whole` in these spans; those that are blank are left out, neighbours that touch are one."""
        kept: list[Span] = []
        for span in spans:
            if not whole[span.start : span.end].strip():
                continue
            touches = bool(kept) and kept[-1].end == span.start
            kept[-1:] = [Span(kept[-1].start, span.end)] if touches else [*kept[-1:], span]
        return cls(JOINT.join([whole[start:end] for start, end in kept]), tuple(kept))

    @property
    def start(self) -> int:
        """Where the first part begins in the whole text, 0 where there is none."""
        return self.spans[0].start if self.spans else 0

    @property
    def end(self) -> int:
        """Where the last part ends in the whole text, 0 where there is none."""
        return self.spans[-1].end if self.spans else 0

    def place(self, start: int, end: int) -> Span:
        """Where characters `[start, end)` of this passage stand in the whole text.

        What reaches over several parts reaches over what lies between them.
        """
        if len(self.spans) <= 1:
            return Span(self.start + start, self.start + end)
        return Span(self._place(start, False), self._place(end, end > start))

    def within(self, start: int, end: int) -> Span:
        """Which characters of this passage stand in `[start, end)` of the whole text."""
        first, last = self._within(start), self._within(end)
        return Span(first, max(first, last))

    def _within(self, place: int) -> int:
        begin = 0
        for start, end in self.spans:
            if place <= end:
                return begin + max(0, place - start)
            begin += end - start + len(JOINT)
        return len(self.text)

    def _place(self, offset: int, is_end: bool) -> int:
        """The place of one character, or, for an end, the place behind the character before it."""
        begins = [0]
        for start, end in self.spans[:-1]:
            begins.append(begins[-1] + end - start + len(JOINT))
        part = bisect_right(begins, offset - is_end) - 1
        start, end = self.spans[part]
        return min(start + offset - begins[part], end)


def plain_content(text: str, read_as: ReadAs) -> Passage | None:
    """The content of a text without marks, which is all of it; None where there may be more to read."""
    if read_as == "text" or ((read_as == "auto" or read_as == "tags") and not has_marks(text)):
        return Passage(text, (Span(0, len(text)),))
    return None


def has_marks(text: str) -> bool:
    """Whether a text may hold a mark of a format."""
    if "<" not in text and "◁" not in text:
        return "[" in text and (_BRACKET_HINTS[0] in text or _BRACKET_HINTS[1] in text)
    for hint in _HINTS:  # noqa: SIM110, any() over a generator takes three times as long
        if hint in text:
            return True
    return False
