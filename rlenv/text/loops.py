"""Where text repeats: loops at the end of it, and stretches that say again what was just said. Linear in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"\S+")
NEW_COSTS = 4
"""What a new 3-gram takes off the score of a stretch; a repeat adds 1."""
NEAR = 120
"""A 3-gram counts as said again within this many words."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters `[start, end)` in which nearly every 3-gram repeats."""

    start: int
    end: int
    score: int
    """Repeats less `NEW_COSTS` times the others."""
    of: int
    """All 3-grams of the text."""
    different: int
    """How many 3-grams of the stretch are not the same."""


def loop_start(text: str, end: int, period: int) -> int:
    """Where the stretch that ends at `end` and has this period begins."""
    length = 0  # of the equal ends of text[:end] and text[:end - period]
    step = period
    while step:
        high = end - length
        if high - step - period >= 0 and text.startswith(text[high - step - period : high - period], high - step):
            length += step
            step *= 2
        else:
            step //= 2
            if length + step > end - period:
                step = min(step, end - period - length)
    return end - length - period


def dense_stretch(text: str) -> Stretch | None:
    """The stretch with the highest score; None where most 3-grams are new, which is quickly seen."""
    words = text.split()
    grams = list(zip(words, words[1:], words[2:], strict=False))
    if len(grams) < 16 or len(set(grams)) > 0.8 * len(grams):
        return None
    last: dict[tuple[str, str, str], int] = {}
    best = score = start = first = end = 0
    for i, gram in enumerate(grams):
        score += 1 if i - last.get(gram, -NEAR - 1) <= NEAR else -NEW_COSTS
        last[gram] = i
        if score <= 0:
            score, start = 0, i + 1
        elif score > best:
            best, first, end = score, start, i
    places = list(_TOKEN.finditer(text))
    return Stretch(places[first].start(), places[end + 2].end(), best, len(grams), len(set(grams[first : end + 1])))
