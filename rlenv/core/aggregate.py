"""Several scores of one thing as one number: their mean, the least, or the mean less a multiple of their variance.

`min` is worst-case, `cautious` uncertainty-weighted optimisation (arXiv 2310.02743, equations 4 and 5), with the
population variance.

>>> [Combination(rule, k=0.5).of([0.0, 1.0]) for rule in ("mean", "min", "cautious")]
[0.5, 0.0, 0.375]
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from rlenv.core.errors import ConfigError

Rule: TypeAlias = Literal["mean", "min", "cautious"]


@dataclass(frozen=True)
class Combination:
    """How members of an ensemble become one."""

    rule: Rule = "min"
    k: float = 1.0
    """How much of the variance `cautious` takes off."""

    def __post_init__(self) -> None:
        if self.rule not in get_args(Rule):
            raise ConfigError(f"expected a rule of {', '.join(get_args(Rule))}, got {self.rule!r}")
        if not (math.isfinite(self.k) and self.k >= 0):
            raise ConfigError(f"expected k of 0 or more, got {self.k!r}")

    def of(self, values: Sequence[float]) -> float:
        """The one number that stands for these."""
        if self.rule == "min":
            return min(values)
        mean = statistics.fmean(values)
        return mean if self.rule == "mean" else mean - self.k * statistics.pvariance(values)


def spread(values: Sequence[float]) -> float:
    """How far the members are apart: the greatest less the least."""
    return max(values) - min(values)
