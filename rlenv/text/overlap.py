"""How much of one text is made of another, counted in runs of four words.

>>> source = shingles("Janet has three ducks and two geese.")
>>> found = overlap("Well: JANET has three ducks, and a dog.", source)
>>> found.hits, found.of
(2, 5)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

SHINGLE = 4
Shingle: TypeAlias = tuple[str, ...]
_MARKS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_TO_SPACES = str.maketrans(_MARKS, " " * len(_MARKS))
_TOKEN = re.compile(rf"[^\s{re.escape(_MARKS)}]+")


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many of a text's `of` shingles are in the source, and how many different ones."""

    hits: int
    different: int
    of: int


def words(text: str) -> list[str]:
    """Lower-case words without marks."""
    return text.lower().translate(_TO_SPACES).split()


def _shingles(text: str) -> frozenset[Shingle]:
    return frozenset(_grams(words(text)))


shingles = lru_cache(maxsize=512)(_shingles)
"""The runs of four words of a text; remembered, because a group shares its prompt."""


def overlap(text: str, source: frozenset[Shingle]) -> Overlap:
    """What the text has of the source."""
    grams = _grams(words(text))
    hits = sum(map(source.__contains__, grams))
    return Overlap(hits, len(source.intersection(grams)) if hits else 0, len(grams))


def own_words(said: list[str], source: frozenset[Shingle]) -> list[str]:
    """The words that are in none of the runs that the source has."""
    covered = bytearray(len(said))
    for i, gram in enumerate(_grams(said)):
        if gram in source:
            covered[i : i + SHINGLE] = b"\1" * SHINGLE
    return [word for word, hit in zip(said, covered, strict=True) if not hit]


def runs(text: str, source: frozenset[Shingle], shortest: int) -> list[tuple[int, int]]:
    """The stretches of the text that are in the source, at least `shortest` words each, as characters."""
    tokens = list(_TOKEN.finditer(text))
    grams = _grams([token[0].lower() for token in tokens])
    found: list[tuple[int, int]] = []
    first = -1
    for i, hit in enumerate([*map(source.__contains__, grams), False]):
        if hit and first < 0:
            first = i
        elif not hit and first >= 0:
            last = i - 1 + SHINGLE - 1
            if last - first + 1 >= shortest:
                found.append((tokens[first].start(), tokens[last].end()))
            first = -1
    return found


def _grams(said: list[str]) -> list[Shingle]:
    return list(zip(said, said[1:], said[2:], said[3:], strict=False))
