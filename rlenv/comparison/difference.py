"""How much more one side has than another, over tasks that both have: the estimate, its interval, its test.

One run a side: the mean over tasks of the difference, with the interval of `rlenv.evaluation.passk` and the exchange
test. It says which of the two models is better on tasks of this kind.

Several training seeds a side: which recipe is better, on tasks of this kind and by other seeds too. Seeds lie within a
side and are crossed with tasks. With S_g seeds of side g, T tasks, and y what one seed has on one task:

    D = mean over tasks of d_t,  d_t = mean_s y_B,s,t - mean_s y_A,s,t
    V_seeds = sum_g var_s(mean_t y) / S_g       V_tasks = var_t(d) / T
    V_both  = sum_g (mean square of y - seed mean - task mean + side mean) / (S_g T)
    V = max(V_seeds, V_tasks, V_seeds + V_tasks - V_both)

The noise of a seed on a task is in V_seeds and in V_tasks, so it is taken out once: the quasi-F of Clark (1973) with
degrees of freedom by Satterthwaite (1946), V^2 / (sum_g V_seeds,g^2 / (S_g - 1) + (V_tasks^2 + V_both^2) / (T - 1)), at
least 1. A side of one run beside a side of several is that one model, and has no variance of seeds. Where seeds differ,
a hierarchical bootstrap of so few errs far more often than it says: docs/comparing.md has the rates of both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numpy as np

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.evaluation.passk import CONFIDENCE, Estimate, Values, mean_interval, padded

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
    """How often a difference as large would come about if chance had decided, on every task, which result is whose.

    That is the distribution of |sum of +-d| over all 2^T signs of the T differences d. It is exact, by convolution,
    where the differences are whole numbers of one unit, as pass rates of n completions are; with one completion a task
    it is the exact test of McNemar (1947). Else signs are drawn, and p = (1 + as large) / (1 + drawn), which never errs
    more often than it says (Phipson and Smyth 2010). Where each task's results could have come from either side it is
    right at any number of tasks (Fisher 1935, section 21); where only the mean is equal, it becomes right as tasks grow
    (Romano 1990, one sample).

    >>> exchange_test([1.0, 1.0, 1.0, 1.0, 1.0, -1.0]).p  # b = 5, c = 1: 2 * (1 + 6) / 64
    0.21875
    """
    values = np.asarray(differences, dtype=np.float64)  # (T,)
    units = _in_units(values)
    if units is None or len(units) * int(np.abs(units).sum()) > MAX_WORK:
        return Tested(_drawn(values, np.random.default_rng(0)), f"permutation test, {DRAWN:,} drawn")
    single = bool(np.isin(np.abs(values), (0.0, 1.0)).all())  # a share of several completions is neither
    return Tested(_exact(units), "McNemar, exact" if single else "permutation test, exact")


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


ALPHA, POWER = 1 - CONFIDENCE, 0.8
Table: TypeAlias = Values
"""One value a run and task. (S, T)"""


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more the second side has than the first."""

    estimate: Estimate
    p: float
    """Two-sided, of this difference alone."""
    test: str
    noticed: float
    """The smallest difference that 80 % of such comparisons would notice at p of 0.05."""
    p_holm: float = 1.0
    """For the same measure of all pairs of the comparison together."""

    @property
    def told(self) -> bool:
        """Whether the sides can be told apart."""
        return self.p_holm <= ALPHA

    def to_json(self) -> dict[str, Json]:
        return {**asdict(self), "estimate": self.estimate.to_json(), "told": self.told}


class Spread(NamedTuple):
    """The variance of a mean difference over seeds and tasks."""

    variance: float
    freedom: float


def difference(first: Table, second: Table, *, width: float = 1.0, dropped: int = 0) -> Difference:
    """The difference of two sides with equal tasks in equal order; values of a task lie within `width` of each other.

    Raises ConfigError for no task, and for one task where a side has several runs.
    """
    if first.shape[1] != second.shape[1] or not first.shape[1]:
        raise ConfigError("expected tasks that every run has, got none; compare evaluations of equal tasks")
    differences = second.mean(axis=0) - first.mean(axis=0)  # (T,)
    bounds = (-width, width)
    if len(first) == len(second) == 1:
        tested = exchange_test(differences)
        sample = padded(differences, bounds)
        spread = Spread(float(sample.var()) / len(sample), math.inf)
        interval = mean_interval(list(differences), bounds=bounds, dropped=dropped)
        return _made(interval, tested, spread, NormalDist().inv_cdf(1 - ALPHA / 2))
    spread = crossed(first, second, bounds)
    mean = float(differences.mean())
    error = math.sqrt(spread.variance)
    reach = student_quantile(ALPHA, spread.freedom)
    low, high = max(-width, mean - reach * error), min(width, mean + reach * error)
    found = Estimate(mean, low, high, "seeds and tasks", len(differences), dropped)
    return _made(found, crossed_test(mean, spread), spread, reach)


def crossed(first: Table, second: Table, bounds: tuple[float, float]) -> Spread:
    """V of the module with its degrees of freedom. Raises ConfigError for a single task."""
    tasks = first.shape[1]
    if tasks < 2:
        raise ConfigError(f"expected at least 2 tasks that every run has, got {tasks}; evaluate on more")
    sample = padded(second.mean(axis=0) - first.mean(axis=0), bounds)
    of_tasks = float(sample.var(ddof=1)) / len(sample)
    several = [side for side in (first, second) if len(side) > 1]
    of_seeds = [float(side.mean(axis=1).var(ddof=1)) / len(side) for side in several]
    both = sum(_residual(side) / (len(side) * tasks) for side in several)
    seeds = sum(of_seeds)
    variance = max(seeds, of_tasks, seeds + of_tasks - both)
    parts: float = sum(v**2 / (len(side) - 1) for v, side in zip(of_seeds, several, strict=True))
    parts += (of_tasks**2 + both**2) / (tasks - 1)
    return Spread(variance, max(1.0, variance**2 / parts) if parts else 1.0)


def crossed_test(mean: float, spread: Spread) -> Tested:
    """Student's t of a mean difference with this spread."""
    p = student_p(mean / math.sqrt(spread.variance), spread.freedom) if spread.variance else float(mean == 0)
    return Tested(p, f"t over seeds and tasks, {spread.freedom:.1f} degrees of freedom")


def _residual(side: Table) -> float:
    """The mean square of what neither the seed nor the task explains."""
    left = side - side.mean(axis=1, keepdims=True) - side.mean(axis=0) + side.mean()
    return float((left**2).sum() / ((side.shape[0] - 1) * (side.shape[1] - 1)))


def _made(estimate: Estimate, tested: Tested, spread: Spread, reach: float) -> Difference:
    """With what it notices; `reach` standard errors are told from nothing."""
    reach += NormalDist().inv_cdf(POWER)
    return Difference(estimate, tested.p, tested.test, reach * math.sqrt(spread.variance))
