"""Which completions an evaluation consists of, and the number of each, also where n has grown since it began.

>>> ids = SampleIds(tasks=3, widths=(4, 2))  # n was 4, and is 6
>>> ids.total, ids.place(11), ids.place(14), list(ids.missing(set(range(14))))
(18, 2, 1, [[14, 15], [16, 17]])
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from rlenv.core.errors import RunError
from rlenv.core.jsontypes import Json


class Round(NamedTuple):
    """All tasks with so many completions each."""

    start: int
    """The index of its first completion."""
    first: int
    """How many completions each task had before."""
    width: int
    """How many each gets."""


@dataclass(frozen=True)
class SampleIds:
    """Completions are numbered task by task; what n has grown by comes behind all that was there."""

    tasks: int
    widths: tuple[int, ...]
    """How many completions a task got at first, and each time that n grew."""

    @property
    def n(self) -> int:
        """Completions of one task."""
        return sum(self.widths)

    @property
    def total(self) -> int:
        return self.tasks * self.n

    def rounds(self) -> list[Round]:
        firsts = accumulate(self.widths, initial=0)
        return [Round(self.tasks * first, first, width) for first, width in zip(firsts, self.widths, strict=False)]

    def place(self, index: int) -> int:
        """The task that this completion belongs to."""
        start, _, width = next(one for one in reversed(self.rounds()) if index >= one.start)
        return (index - start) // width

    def missing(self, done: set[int]) -> Iterator[list[int]]:
        """The indices that are not done, those of one task and round together."""
        for start, _, width in self.rounds():
            for first in range(start, start + self.tasks * width, width):
                if indices := [index for index in range(first, first + width) if index not in done]:
                    yield indices


def seed_of(seed: int, *numbers: int) -> int:
    """The sampling seed of one request: it follows from the evaluation's seed and the place of what is asked."""
    return int(np.random.SeedSequence([seed, *numbers]).generate_state(1)[0])


def grown(saved: Mapping[str, Json] | None, n: int, tasks: int, *, learning: bool) -> SampleIds:
    """The completions of a run of `n` a task, begun as its saved settings say.

    `learning` says that wrappers look at whole groups. Raises RunError where n is smaller than it was, or has grown
    under such wrappers.
    """
    if saved is None:
        return SampleIds(tasks, (n,))
    before, widths = saved["n"], saved.get("grown", [saved["n"]])
    if not isinstance(before, int) or not isinstance(widths, list) or sum(widths) != before:
        raise RunError(f"expected whole numbers n and grown in config.json, got {before!r} and {widths!r}; put it back")
    if n < before:
        raise RunError(f"n was {before}, is {n}: it may only grow; for k up to {n} of all {before} see `rlenv report`")
    if n > before and learning:
        raise RunError(f"n was {before}, is {n}: wrappers have judged whole groups of {before}; give another folder")
    return SampleIds(tasks, (*widths, n - before) if n > before else tuple(widths))
