"""The tags in which models think, and where a trace of thoughts ends."""

from __future__ import annotations

from typing import NamedTuple

from rlenv.core.reading.quoting import Quoting

TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|channel>thought": "<channel|>",
}
"""Opening marks and their closing ones: R1 and Qwen, prompts of many trainers, Seed, Magistral, Kimi, OpenThoughts,
Command A, Gemma."""
CLOSING = frozenset(TAGS.values())
MAX_MARKS = 2_000
"""So many marks of a text are looked at; what stands behind them is read without."""


class Trace(NamedTuple):
    """One stretch of thoughts: `[start, end)` with its marks, `[inner_start, inner_end)` without."""

    mark: str
    """The opening mark, whether it was written or the chat template wrote it."""
    start: int
    inner_start: int
    inner_end: int
    end: int
    opened: bool = True
    """False where the chat template opened it."""
    closed: bool = True
    """False where it runs to the end of the text."""

    def moved(self, by: int) -> Trace:
        """The same trace, `by` characters further on."""
        return Trace(
            self.mark,
            self.start + by,
            self.inner_start + by,
            self.inner_end + by,
            self.end + by,
            self.opened,
            self.closed,
        )


def opens_trace(prompt: str) -> bool:
    """Whether a prompt ends in an opening tag, so that what follows begins with thoughts."""
    return prompt.rstrip().endswith(tuple(TAGS))


def trace_at(text: str, mark: str, start: int, quoting: Quoting, *, opened: bool = True) -> Trace:
    """The trace whose opening mark stands at `start`; with `opened` False the text is inside from there on.

    It ends at the first closing mark that is not quoted; where all are in fences, at the first of these.
    """
    inner = start + len(mark) if opened else start
    closing = TAGS[mark]
    quoting.begin(inner)
    fenced, place = -1, inner
    for _ in range(MAX_MARKS):
        place = text.find(closing, place)
        if place < 0:
            break
        end = place + len(closing)
        if not quoting.quotes(place, end):
            if not quoting.fences(place):
                return Trace(mark, start, inner, place, end, opened)
            fenced = fenced if fenced >= 0 else place
        place = end
    if fenced >= 0:
        return Trace(mark, start, inner, fenced, fenced + len(closing), opened)
    return Trace(mark, start, inner, len(text), len(text), opened, closed=False)
