"""Spearman's rank correlation, ties averaged, within several sets of pairs at once.

>>> rank_correlation([[(1, 0.1), (2, 0.2), (2, 0.3), (4, 0.5), (5, 0.6), (6, 0.6)]])[0] > 0.95
True
>>> enough_orders([[(7, 0.0)] * 7 + [(9, 1.0)]])  # one of eight stands out in both: that is chance
False
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import TypeAlias

ARRANGEMENTS = 50
"""Where ties leave fewer different orders than this, a perfect one is too likely by chance to say anything."""
Pair: TypeAlias = tuple[float, float]


def rank_correlation(sets: Sequence[Sequence[Pair]]) -> tuple[float, float]:
    """The correlation within the sets, weighted by size, and its z-value; zeros where nothing can be told."""
    rho = shared = variance = weight = 0.0
    for pairs in sets:
        n = len(pairs)
        one, other = ranks([a for a, _ in pairs]), ranks([b for _, b in pairs])
        spreads = _product(one, one) * _product(other, other)
        if n < 3 or not spreads:
            continue
        product = _product(one, other)
        rho, weight = rho + n * product / math.sqrt(spreads), weight + n
        shared, variance = shared + product, variance + spreads / (n - 1)
    return (rho / weight, shared / math.sqrt(variance)) if weight else (0.0, 0.0)


def enough_orders(sets: Sequence[Sequence[Pair]]) -> bool:
    """Ties leave so many different orders that a perfect one is no chance."""
    orders = 1
    for pairs in sets:
        one, other = (Counter(ranks(column)) for column in zip(*pairs, strict=True))
        orders *= math.factorial(len(pairs)) // max(_tied(one), _tied(other))
    return orders >= ARRANGEMENTS


def partial_correlation(triples: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """Of the first with the second where the third is held fast, and its z-value; zeros where nothing can be told."""
    one, other, held = (ranks(column) for column in zip(*triples, strict=True)) if triples else ([], [], [])
    spreads = [_product(column, column) for column in (one, other, held)]
    if len(triples) < 6 or not all(spreads):
        return 0.0, 0.0
    plain, first, second = (
        _product(a, b) / math.sqrt(_product(a, a) * _product(b, b))
        for a, b in ((one, other), (one, held), (other, held))
    )
    left = (1 - first * first) * (1 - second * second)
    if left < 1e-3:
        return 0.0, 0.0
    rho = (plain - first * second) / math.sqrt(left)
    return rho, rho * math.sqrt(len(triples) - 2)


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value, its distance from the middle rank; equal values share theirs."""
    order = sorted(range(len(values)), key=lambda i: round(values[i], 9))
    found = [0.0] * len(values)
    below = 0
    for _, same in groupby(order, key=lambda i: round(values[i], 9)):
        places = list(same)
        for place in places:
            found[place] = below + (len(places) - len(values)) / 2
        below += len(places)
    return found


def _tied(found: Counter[float]) -> int:
    return math.prod(map(math.factorial, found.values()))


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
