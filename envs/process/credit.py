"""How the scores of steps become one number, and which share of it each step gets.

The safe forms are penalties: the shares are at most 0 and sum to the aggregate minus 1, so that good steps cost nothing
and no number of them buys anything.

    form              aggregate of scores s_1 .. s_n    share of step i
    min               min s                             min s - 1 on the first of the worst steps, 0 elsewhere
    product           s_1 * ... * s_n                   how much step i lowers the product so far
    geometric_mean    (s_1 * ... * s_n) ^ (1 / N)       how much step i lowers it so far
    mean              max(0, 1 - sum(1 - s) / N),       how much step i lowers it so far
                      and 0 where every s is 0
    last              s_n                               s_n - 1 on the last step
    sum               s_1 + ... + s_n                   s_i: every good step pays, which is the unsafe form

min is the score of a solution in Math-Shepherd (arXiv 2312.08935) and the credit of PURE (arXiv 2504.15275), whose
weights softmax(-s / T) become ours as T goes to 0; product is PRM800K's (arXiv 2305.20050); Zhang et al. (arXiv
2501.07301) compare both with last. We deviate in one point: N, by which the two means divide, is the number of steps
that a solution takes, not the number that the completion has: a mean over its own steps is raised by adding good ones.

>>> shares("min", (1.0, 0.25, 0.5)), shares("product", (1.0, 0.5, 0.5))
((0.0, -0.75, 0.0), (0.0, -0.5, -0.25))
>>> aggregate("mean", (1.0, 0.0), expected=4), aggregate("mean", (1.0, 1.0, 1.0, 0.0), expected=4)
(0.75, 0.75)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Literal, TypeAlias, get_args

from rlenv.core.errors import ConfigError

Credit: TypeAlias = Literal["min", "product", "geometric_mean", "mean", "last", "sum"]
CREDITS: tuple[Credit, ...] = get_args(Credit)
SAFE: tuple[Credit, ...] = ("min", "product", "geometric_mean", "mean")
"""Further steps never raise these, whatever their scores. `last` sees one step alone; `sum` pays for each."""
GRAIN = 40
"""Shares are multiples of 2 ** -GRAIN, so that sums of thousands of them are exact in any order."""


def shares(credit: Credit, scores: Sequence[float], expected: int = 1, weight: float = 1.0) -> tuple[float, ...]:
    """The share of each step, times `weight`; `expected` is N above. Their sum is exact in floats.

    The scores lie in [0, 1]. Raises ConfigError for a form that does not exist.
    """
    if credit not in CREDITS:
        raise ConfigError(f"expected a credit out of {', '.join(CREDITS)}, got {credit!r}")
    return tuple(in_grains(weight * share) for share in _shares(credit, scores, max(1, expected)))


def aggregate(credit: Credit, scores: Sequence[float], expected: int = 1) -> float:
    """The number that stands for all steps; without any step 0."""
    if not scores:
        return 0.0
    total = math.fsum(shares(credit, scores, expected))
    return total if credit == "sum" else 1.0 + total


def _shares(credit: Credit, scores: Sequence[float], expected: int) -> list[float]:
    if credit == "sum" or not scores:
        return list(scores)
    if credit in ("min", "last"):
        place = min(range(len(scores)), key=scores.__getitem__) if credit == "min" else len(scores) - 1
        return [scores[i] - 1 if i == place else 0.0 for i in range(len(scores))]
    if credit == "mean":
        lost = accumulate(1 - score for score in scores)
        levels = [max(0.0, 1 - loss / expected) if any(scores) else 0.0 for loss in lost]
    else:
        power = 1 if credit == "product" else 1 / expected
        levels = [product**power for product in accumulate(scores, float.__mul__)]
    return [after - before for before, after in pairwise([1.0, *levels])]


def in_grains(value: float) -> float:
    """The nearest number of which thousands sum exactly."""
    return math.ldexp(round(math.ldexp(value, GRAIN)), -GRAIN)
