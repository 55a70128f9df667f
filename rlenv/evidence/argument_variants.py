"""Neighbours of arguments: the same shape and types, one small change.

>>> from itertools import islice
>>> list(islice(neighbours((10,), np.random.default_rng(0)), 3))
[(11,), (9,), (17,)]
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

MOST_TURNS = 192
"""Changes that are made: some give what was there."""


def neighbours(arguments: tuple[object, ...], random: np.random.Generator) -> Iterator[tuple[object, ...]]:
    """Arguments that differ in one place from these, nearest first."""
    if not arguments:
        return
    for turn in range(MOST_TURNS):
        place = turn % len(arguments) if turn < len(arguments) else int(random.integers(len(arguments)))
        changed = _changed(arguments[place], turn // len(arguments), random)
        if repr(changed) != repr(arguments[place]):
            yield (*arguments[:place], changed, *arguments[place + 1 :])


def _changed(value: object, turn: int, random: np.random.Generator) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + (1, -1, 7, 2, 10, -3, 100, -10)[turn % 8] * (1 + turn // 8)
    if isinstance(value, float):
        return value + (1.0, -0.5, 2.25, 10.0)[turn % 4] * (1 + turn // 4)
    if isinstance(value, str):
        words = value.split(" ")
        return (
            _respelt(value, random)
            if len(words) < 2
            else " ".join(map(str, _rearranged([*words], 1 + turn % 2, random)))
        )
    if isinstance(value, (list, tuple)) and value:
        return type(value)(_rearranged(list(value), turn, random))
    return value


def _rearranged(items: list[object], turn: int, random: np.random.Generator) -> list[object]:
    """One member changed, two that change places, or one more of the same."""
    place = int(random.integers(len(items)))
    if turn % 3 == 2:
        return [*items, items[place]]
    if turn % 3 == 1 and len(items) > 1:
        other = (place + 1) % len(items)
        items[place], items[other] = items[other], items[place]
        return items
    items[place] = _changed(items[place], int(random.integers(8)), random)
    return items


def _respelt(text: str, random: np.random.Generator) -> str:
    """One letter or digit for another of its kind."""
    places = [i for i, sign in enumerate(text) if sign.isascii() and sign.isalnum()]
    if not places:
        return text + text
    place = places[int(random.integers(len(places)))]
    first, count = ("0", 10) if text[place].isdigit() else ("A", 26) if text[place].isupper() else ("a", 26)
    return text[:place] + chr(ord(first) + int(random.integers(count))) + text[place + 1 :]
