"""pass@k and pass^k without bias, with intervals over problems.

    pass@k = 1 - C(n - c, k) / C(n, k)     one of k completions passes (Chen et al. 2021, arXiv 2107.03374, eq. 1)
    pass^k = C(c, k) / C(n, k)             all k completions pass (tau-bench, arXiv 2406.12045)

for a problem with `n` completions of which `c` pass. Both are means over every subset of k completions,
so neither can be had from fewer than k: that is refused, never extrapolated.

>>> round(pass_at_k(n=4, c=1, k=2), 12), round(pass_hat_k(n=4, c=3, k=2), 12)
(0.5, 0.5)
>>> estimate([(4, 1), (4, 3), (1, 1)], k=2).dropped  # the last problem has fewer than 2 completions
1

Intervals say what another draw of problems of the same kind could have given; the problems, not the
completions, are resampled, and their order changes nothing. They are 95 % intervals of one of two kinds:

- `bootstrap`: percentiles of the mean over problems drawn with replacement;
- `padded`: where there are fewer than 30 problems, or fewer than 10 that differ from the most common value,
  the bootstrap is too narrow (of no width at all where every problem has the same value). Then two problems
  of the lowest possible value and two of the highest are added and the normal interval of the mean is taken:
  the rule of Agresti and Coull (1998) carried over to values between bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json

Count: TypeAlias = tuple[int, int]
"""(n, c) of one problem: how many completions were judged, and how many of them passed."""
Metric: TypeAlias = Callable[[int, int, int], float]
"""A function of (n, c, k): pass_at_k or pass_hat_k."""
Values: TypeAlias = NDArray[np.float64]

CONFIDENCE = 0.95
RESAMPLES = 2_000
MIN_PROBLEMS, MIN_DIFFERENT = 30, 10
"""Below either the interval is `padded`."""
_AT_ONCE = 20
"""Resamples drawn together, which bounds the memory."""

Z = 1.959964
"""The normal quantile of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over problems with its 95 % interval."""

    value: float
    low: float
    high: float
    method: Literal["bootstrap", "padded", "seeds and tasks"]
    """The last is of `rlenv.comparison`, where a side has several training seeds."""
    problems: int
    """How many problems the mean is over."""
    dropped: int = 0
    """How many were left out because they have fewer than k judged completions."""

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def to_json(self) -> dict[str, Json]:
        return {name: getattr(self, name) for name in self.__slots__}


def pass_at_k(n: int, c: int, k: int) -> float:
    """The probability that at least one of `k` completions, drawn from `n` of which `c` pass, passes.

    Subsets are counted in whole numbers, so that the last digit is right, whatever n is. Raises ConfigError for k > n.
    """
    _check(n, c, k)
    subsets = math.comb(n, k)
    return (subsets - math.comb(n - c, k)) / subsets


def pass_hat_k(n: int, c: int, k: int) -> float:
    """The probability that all of `k` completions, drawn from `n` of which `c` pass, pass.

    Raises ConfigError for k > n.
    """
    _check(n, c, k)
    return math.comb(c, k) / math.comb(n, k)


def estimate(counts: Sequence[Count], k: int, *, metric: Metric = pass_at_k) -> Estimate:
    """The mean of the metric over problems; those with n < k are dropped and counted.

    Raises ConfigError when no problem has k completions.
    """
    values = [metric(n, c, k) for n, c in counts if n >= k]
    if not values:
        most = max((n for n, _ in counts), default=0)
        raise ConfigError(f"expected problems with at least k={k} judged completions, got at most {most}; lower k")
    return mean_interval(values, dropped=len(counts) - len(values))


def mean_interval(values: Sequence[float], *, bounds: tuple[float, float] = (0.0, 1.0), dropped: int = 0) -> Estimate:
    """The mean of one value a problem, each within `bounds`, with the interval that the module describes."""
    array = np.asarray(values, dtype=np.float64)  # (M,)
    mean = math.fsum(values) / len(values)
    sample = padded(array, bounds)
    enough = len(sample) == len(array)
    low, high = _bootstrap(array) if enough else _normal(sample, bounds)
    return Estimate(mean, min(low, mean), max(high, mean), "bootstrap" if enough else "padded", len(values), dropped)


def lower_bound(mean: float, count: int) -> float:
    """The lower 95 % bound of a share of `count` tasks (Wilson 1927).

    >>> round(lower_bound(1.0, 8), 2), round(lower_bound(0.5, 32), 2)
    (0.68, 0.34)
    """
    if count == 0:
        return 0.0
    share = min(1.0, max(0.0, mean))
    centre = share + Z * Z / (2 * count)
    spread = Z * math.sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    return max(0.0, (centre - spread) / (1 + Z * Z / count))


def padded(values: Values, bounds: tuple[float, float]) -> Values:
    """The values; where they are too few to show their own spread, with two of each extreme value added."""
    different = len(values) - np.unique(values.round(12), return_counts=True)[1].max()
    enough = len(values) >= MIN_PROBLEMS and different >= MIN_DIFFERENT
    return values if enough else np.concatenate([values, bounds, bounds])


def _bootstrap(values: Values) -> tuple[float, float]:
    """Percentiles of the mean over problems drawn with replacement; sorted, so that their order changes nothing."""
    values, rng = np.sort(values), np.random.default_rng(0)
    drawn = (rng.integers(len(values), size=(_AT_ONCE, len(values))) for _ in range(RESAMPLES // _AT_ONCE))
    means = np.concatenate([values[places].mean(axis=1) for places in drawn])
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _normal(sample: Values, bounds: tuple[float, float]) -> tuple[float, float]:
    """The normal interval of the mean of a padded sample."""
    half = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * sample.std() / math.sqrt(len(sample))
    return max(bounds[0], float(sample.mean() - half)), min(bounds[1], float(sample.mean() + half))


def check_k(n: int, k: int) -> None:
    """Raises ConfigError where k completions cannot be drawn from n."""
    if k < 1:
        raise ConfigError(f"expected k of at least 1, got {k}")
    if k > n:
        raise ConfigError(f"expected k of at most n={n} completions, got k={k}; sample more or lower k")


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n:
        raise ConfigError(f"expected 0 <= c <= n, got c={c} and n={n}")
    check_k(n, k)
