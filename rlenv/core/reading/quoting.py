"""Where a mark is only talked about: in quotes, in an inline code span, or in a fenced block that is closed.

>>> text = 'Open with `<think>` and close.'
>>> Quoting(text).holds(text.index("<"), text.index(">") + 1)
True

Work is linear in the text: a budget of fences is looked at, and a line is looked at only near the mark.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple


class Marks:
    """Finds marks from left to right; no stretch of the text is searched twice for one pattern."""

    __slots__ = ("_found", "_patterns", "_text")

    def __init__(self, text: str, patterns: Sequence[re.Pattern[str]]) -> None:
        self._text = text
        self._patterns = patterns
        self._found: list[re.Match[str] | None] = [pattern.search(text) for pattern in patterns]

    def next(self, place: int) -> re.Match[str] | None:
        """The first mark that begins at `place` or behind it; places never go back."""
        first: re.Match[str] | None = None
        for index, found in enumerate(self._found):
            if found is not None and found.start() < place:
                found = self._found[index] = self._patterns[index].search(self._text, place)
            if found is not None and (first is None or found.start() < first.start()):
                first = found
        return first


MAX_STEPS = 10_000
"""So many fences of a text are looked at, those of stretches that overlap again; no honest text has more."""
NEAR = 300
"""How far from a mark, in characters, the backticks of an inline code span are looked for."""
QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "「": "」", "『": "』"}
_RUNS = (re.compile("```+"), re.compile("~~~+"))  # apart, since a search for one literal is ten times as fast


class _Fence(NamedTuple):
    """A fence at the beginning of its line."""

    start: int
    end: int
    """Behind its line."""
    run: str
    named: bool
    """Whether it names a language, as only opening ones do."""


class Quoting:
    """Tells of marks, in order of their places in one stretch of text, whether they are text."""

    __slots__ = ("_at", "_fences", "_found", "_from", "_opened", "_runs", "_steps", "_text", "_up_to")

    def __init__(self, text: str) -> None:
        self._text = text
        self._fences: list[_Fence] = []
        self._runs = Marks(text, _RUNS)
        self._up_to = 0
        """How far the text was searched for fences; they are the same for every stretch of it."""
        self._steps = MAX_STEPS
        self.begin(0)

    def begin(self, start: int) -> None:
        """Begin a stretch: fences before it are not its own."""
        self._from = start
        self._at = bisect_left(self._fences, start, key=_start)
        self._opened: _Fence | None = None
        self._found = (-1, -1)

    def holds(self, start: int, end: int) -> bool:
        """Whether the mark in `[start, end)` is text."""
        return self.quotes(start, end) or self.fences(start)

    def quotes(self, start: int, end: int) -> bool:
        """Whether it stands in quotes or in an inline code span."""
        text = self._text
        behind = QUOTES.get(text[start - 1 : start]) if start else None
        if behind is not None and text.startswith((behind, "\\" + behind), end):
            return True
        line = max(text.rfind("\n", max(0, start - NEAR), start) + 1, start - NEAR, 0)
        if text.count("`", line, start) % 2 == 0:
            return False
        stop = text.find("\n", end, end + NEAR)
        return text.find("`", end, end + NEAR if stop < 0 else stop) >= 0

    def fences(self, place: int) -> bool:
        """Whether `place` stands in a fenced block that is closed."""
        while self._found[1] <= place and (self._opened is None or self._opened.start < place):
            if self._steps <= 0 or (self._at == len(self._fences) and not self._more()):
                break
            fence = self._fences[self._at]
            if self._opened is None and fence.start > place:
                break
            self._at += 1
            self._steps -= 1
            if fence.start >= self._from:
                self._take(fence)
        return self._found[0] <= place < self._found[1]

    def _take(self, fence: _Fence) -> None:
        """A bare fence closes an open block of its sign; one that names a language opens one, closed before or not."""
        if self._opened is None or fence.named:
            self._opened = fence
        elif fence.run.startswith(self._opened.run):
            self._found = (self._opened.start, fence.end)
            self._opened = None

    def _more(self) -> bool:
        """Find one more fence of the text."""
        text = self._text
        while self._up_to < len(text) and self._steps > 0:
            run = self._runs.next(self._up_to)
            self._steps -= 1
            self._up_to = len(text) if run is None else run.end()
            line = text.rfind("\n", max(0, run.start() - 4), run.start()) if run else -1
            if run is None or (line < 0 and run.start() > 3) or text[line + 1 : run.start()].strip(" "):
                continue
            stop = text.find("\n", run.end())
            stop = len(text) if stop < 0 else stop
            info = text[run.end() : min(stop, run.end() + NEAR)].strip()
            if "`" not in info:
                self._up_to = stop
                self._fences.append(_Fence(run.start(), stop, run[0], bool(info)))
                return True
        return False


def _start(fence: _Fence) -> int:
    return fence.start
