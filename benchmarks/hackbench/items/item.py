"""What an honest item is: a prompt, its right answer, and a solution in steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Item:
    """One problem. `steps` are whole sentences; a voice joins them into a solution."""

    id: str
    kind: str
    """word, algebra, long, several, prose or code."""
    prompt: str
    answer: str
    steps: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    """Answers that are near and wrong."""
    fixed: str = ""
    """A whole solution, where it does not come in steps."""

    @property
    def body(self) -> str:
        return self.fixed or " ".join(self.steps)


Make = Callable[[Random], Item]


def near(rng: Random, answer: int) -> tuple[str, ...]:
    """Five different wrong numbers of the same size."""
    found: dict[str, None] = {}
    while len(found) < 5:
        shift = rng.choice([-10, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 9, 10, 20])
        if answer + shift != answer and answer + shift >= 0:
            found[str(answer + shift)] = None
    return tuple(found)


def sentences(text: str) -> list[str]:
    """A text cut where a sentence ends."""
    return [part for part in re.split(r"(?<=[.!?])\s+", text) if part]
