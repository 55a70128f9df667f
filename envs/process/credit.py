"""How the scores of steps become one number, and which share of it each step gets.

The forms are penalties: the shares are at most 0 and sum to the aggregate minus 1, so that good steps cost nothing
and no number of them buys anything.

    form      aggregate of scores s_1 .. s_n    share of step i
    min       min s                             min s - 1 on the first of the worst steps, 0 elsewhere
    product   s_1 * ... * s_n                   how much step i lowers the product so far

min is the score of a solution in Math-Shepherd (arXiv 2312.08935) and the credit of PURE (arXiv 2504.15275), whose
weights softmax(-s / T) become ours as T goes to 0; product is PRM800K's (arXiv 2305.20050).

>>> shares("min", (1.0, 0.25, 0.5)), shares("product", (1.0, 0.5, 0.5))
((0.0, -0.75, 0.0), (0.0, -0.5, -0.25))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Literal, TypeAlias, get_args

Credit: TypeAlias = Literal["min", "product"]
CREDITS: tuple[Credit, ...] = get_args(Credit)
GRAIN = 40
"""Shares are multiples of 2 ** -GRAIN, so that sums of thousands of them are exact in any order."""


def shares(credit: Credit, scores: Sequence[float], weight: float = 1.0) -> tuple[float, ...]:
    """The share of each step, whose score lies in [0, 1], times `weight`. Their sum is exact in floats."""
    if credit == "min":
        worst = min(range(len(scores)), key=scores.__getitem__, default=0)
        lost = [score - 1 if place == worst else 0.0 for place, score in enumerate(scores)]
    else:
        lost = [after - before for before, after in pairwise([1.0, *accumulate(scores, float.__mul__)])]
    return tuple(in_grains(weight * share) for share in lost)


def aggregate(credit: Credit, scores: Sequence[float]) -> float:
    """The number that stands for all steps; without any step 0."""
    return 1.0 + math.fsum(shares(credit, scores)) if scores else 0.0


def in_grains(value: float) -> float:
    """The nearest number of which thousands sum exactly."""
    return math.ldexp(round(math.ldexp(value, GRAIN)), -GRAIN)
