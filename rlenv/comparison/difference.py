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
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

from rlenv.comparison.significance import Tested, exchange_test, student_p, student_quantile
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.evaluation.passk import CONFIDENCE, Estimate, Values, mean_interval, padded

ALPHA, POWER = 1 - CONFIDENCE, 0.8
POINT = 0.01
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
    tasks_for_a_point: int | None
    """How many tasks would notice a difference of 0.01 as often; None where only more training seeds would."""
    p_holm: float = 1.0
    """For the same measure of all pairs of the comparison together."""

    @property
    def told(self) -> bool:
        """Whether the sides can be told apart."""
        return self.p_holm <= ALPHA

    def to_json(self) -> dict[str, Json]:
        return {**asdict(self), "estimate": self.estimate.to_json(), "told": self.told}


class Spread(NamedTuple):
    """The variance of a mean difference over seeds and tasks, and what it is made of."""

    variance: float
    freedom: float
    seeds: float
    """What no number of tasks takes away."""
    tasks: float
    """What twice the tasks halve."""


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
        spread = Spread(float(sample.var()) / len(sample), math.inf, 0.0, float(sample.var()) / len(sample))
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
    return Spread(variance, max(1.0, variance**2 / parts) if parts else 1.0, max(0.0, seeds - both), of_tasks)


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
    left = (POINT / reach) ** 2 - spread.seeds
    tasks = math.ceil(spread.tasks * estimate.problems / left) if left > 0 else None
    return Difference(estimate, tested.p, tested.test, reach * math.sqrt(spread.variance), tasks)
