"""Which completions an evaluation consists of, and the number of each, also where n has grown since it began.

>>> grown = Numbering(tasks=3, widths=(4, 2))  # n was 4, and is 6
>>> grown.total, [grown.index(place=1, number=number) for number in range(6)]
(18, [4, 5, 6, 7, 14, 15])
>>> grown.place(14)
1
"""

from __future__ import annotations

from collections.abc import Iterator
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
class Numbering:
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

    def rounds(self) -> Iterator[Round]:
        for first, width in zip(accumulate(self.widths, initial=0), self.widths, strict=False):
            yield Round(self.tasks * first, first, width)

    def index(self, place: int, number: int) -> int:
        """The index of the `number`-th completion of the `place`-th task."""
        own = next(one for one in self.rounds() if number < one.first + one.width)
        return own.start + place * own.width + number - own.first

    def place(self, index: int) -> int:
        """The task that this completion belongs to."""
        own = next(one for one in self.rounds() if index < one.start + self.tasks * one.width)
        return (index - own.start) // own.width

    def missing(self, known: set[int]) -> Iterator[list[int]]:
        """The indices that are not known, those of one task and round together."""
        for one in self.rounds():
            for start in range(one.start, one.start + self.tasks * one.width, one.width):
                found = [index for index in range(start, start + one.width) if index not in known]
                if found:
                    yield found


def seed_of(seed: int, *numbers: int) -> int:
    """The sampling seed of one request: it follows from the evaluation's seed and the place of what is asked."""
    return int(np.random.SeedSequence([seed, *numbers]).generate_state(1)[0])


def grown(saved: dict[str, Json] | None, n: int, tasks: int, *, learning: bool) -> Numbering:
    """The completions of a run of `n` a task, begun as its saved settings say.

    `learning` says that wrappers look at whole groups. Raises RunError where n is smaller than it was, or has grown
    under such wrappers.
    """
    if saved is None:
        return Numbering(tasks, (n,))
    before, widths = saved["n"], saved.get("grown", [saved["n"]])
    if not isinstance(before, int) or not isinstance(widths, list) or sum(widths) != before:
        raise RunError(f"expected whole numbers n and grown in config.json, got {before!r} and {widths!r}; put it back")
    if n < before:
        raise RunError(f"n was {before}, is {n}: it may only grow; for k up to {n} of all {before} see `rlenv report`")
    if n > before and learning:
        raise RunError(f"n was {before}, is {n}: wrappers have judged whole groups of {before}; give another folder")
    return Numbering(tasks, (*widths, n - before) if n > before else tuple(widths))
