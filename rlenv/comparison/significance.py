"""Tests of a difference: by exchanging the sides, by Student's t, and several of them at once (Holm).

`exchange_test` asks how often a mean difference as large would come about if, on every task, chance had decided which
result belongs to which side: the distribution of |sum of +-d| over all 2^T signs of the T differences d.

- Exact where the differences are whole numbers of one unit (pass rates of n completions are), by convolution.
- With one completion a task this is the exact test of McNemar (1947): 2 P(Binomial(b + c, 1/2) <= min(b, c)), at
  most 1, for b tasks that only one side passes and c that only the other does.
- Else signs are drawn, and p = (1 + as large) / (1 + drawn), which never errs more often than it says (Phipson and
  Smyth 2010).

Where each task's two results could have come from either side, it is right at any number of tasks (Fisher 1935,
section 21); where only the mean is equal, it becomes right as tasks grow (Romano 1990, one sample).

>>> exchange_test([1.0, 1.0, 1.0, 1.0, 1.0, -1.0]).p  # b = 5, c = 1: 2 * (1 + 6) / 64
0.21875
>>> holm([0.01, 0.04, 0.03])
[0.03, 0.06, 0.06]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from rlenv.evaluation.passk import Values

MAX_UNITS = 1_024
"""A unit is looked for down to 1 / this."""
MAX_WORK = 500_000_000
"""Additions that the exact distribution may take; above it signs are drawn."""
DRAWN = 20_000
_AT_ONCE = 4_000_000
NODES = 64
"""Of the quadrature of Student's t."""
FAR = 12.0
"""Standard deviations behind which nothing is left of a t of many degrees: the nodes lie before it."""


class Tested(NamedTuple):
    """A two-sided p and the test that gave it."""

    p: float
    test: str


def exchange_test(differences: Sequence[float] | Values) -> Tested:
    """The test that the module describes, on one difference a task."""
    values = np.asarray(differences, dtype=np.float64)  # (T,)
    units = _in_units(values)
    if units is None or len(units) * int(np.abs(units).sum()) > MAX_WORK:
        return Tested(_drawn(values, np.random.default_rng(0)), f"exchanged sides, {DRAWN:,} drawn")
    single = bool(np.isin(np.abs(values), (0.0, 1.0)).all())  # a share of several completions is neither
    return Tested(_exact(units), "McNemar, exact" if single else "exchanged sides, exact")


def holm(ps: Sequence[float]) -> list[float]:
    """Each p for all of them together: the step-down method of Holm (1979), which bounds the chance of any error."""
    adjusted, most = [0.0] * len(ps), 0.0
    for place, index in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        most = max(most, min(1.0, (len(ps) - place) * ps[index]))
        adjusted[index] = most
    return adjusted


def student_p(t: float, freedom: float) -> float:
    """P(|T| >= |t|) of Student's t with `freedom` degrees, which need not be whole.

    With T = sqrt(freedom) tan(u) the density of u goes as cos(u)^(freedom - 1), which Gauss-Legendre integrates.

    >>> round(student_p(1.0, 1.0), 12), round(student_p(2.5705818, 5.0), 6)
    (0.5, 0.05)
    """
    angle = min(math.atan(abs(t) / math.sqrt(freedom)), FAR / math.sqrt(freedom))
    nodes, weights = _quadrature()
    inside = angle / 2 * float(np.sum(weights * np.cos((nodes + 1) / 2 * angle) ** (freedom - 1)))
    log_whole = math.lgamma(freedom / 2) - math.lgamma((freedom + 1) / 2) + math.log(math.pi) / 2 - math.log(2)
    return max(0.0, 1.0 - inside / math.exp(log_whole))


def student_quantile(p: float, freedom: float) -> float:
    """The t that Student's |T| reaches or passes with probability `p`.

    >>> round(student_quantile(0.05, 5.0), 4)
    2.5706
    """
    low, high = 0.0, 1.0
    while student_p(high, freedom) > p:
        high *= 2
    for _ in range(48):
        middle = (low + high) / 2
        low, high = (middle, high) if student_p(middle, freedom) > p else (low, middle)
    return high


@cache
def _quadrature() -> tuple[Values, Values]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return np.asarray(nodes), np.asarray(weights)


def _in_units(values: Values) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """The values as whole numbers of the largest unit 1, 1/2, 1/3 ... that makes them so; None where there is none."""
    different = np.unique(values)
    if np.abs(different).max(initial=0.0) > MAX_WORK:  # too many of any unit
        return None
    for parts in range(1, MAX_UNITS + 1):
        if np.abs(different * parts - np.rint(different * parts)).max(initial=0.0) < 1e-9 * parts:
            return np.rint(values * parts).astype(np.int64)
    return None


def _exact(units: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
    """P(|sum of +-d| >= |sum of d|): the sum is 2 X - total, where X adds each |d| with probability 1/2."""
    sizes = np.abs(units[units != 0])
    total, seen = int(sizes.sum()), abs(int(units.sum()))
    chances = np.zeros(total + 1)
    chances[0], reached = 1.0, 0
    for size in map(int, sizes):
        moved = chances[: reached + 1] / 2
        chances[: reached + 1] = moved
        chances[size : size + reached + 1] += moved
        reached += size
    sums = 2 * np.arange(total + 1) - total
    return min(1.0, float(chances[np.abs(sums) >= seen].sum()))


def _drawn(values: Values, rng: np.random.Generator) -> float:
    seen = abs(float(values.sum())) - 1e-9 * float(np.abs(values).sum())
    rows, larger = max(1, _AT_ONCE // len(values)), 0
    for start in range(0, DRAWN, rows):
        signs = 2.0 * rng.integers(2, size=(min(rows, DRAWN - start), len(values))) - 1.0
        larger += int((np.abs(signs @ values) >= seen).sum())
    return (1 + larger) / (1 + DRAWN)
