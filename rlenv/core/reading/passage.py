r"""Parts of a text that are looked at as one, and where they stand in it.

>>> said = Passage.of("<think>7?</think>So 42.", [Span(17, 23)])
>>> said.text, said.place(3, 5), said.within(20, 22)
('So 42.', Span(start=20, end=22), Span(start=3, end=5))
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple


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
