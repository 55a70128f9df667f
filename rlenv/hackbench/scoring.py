"""Precision, recall and false-positive rate with Wilson 95 % intervals.

    centre = (p + z^2 / 2n) / (1 + z^2 / n),  half width = z sqrt(p (1 - p) / n + z^2 / 4n^2) / (1 + z^2 / n)

(Wilson 1927): unlike the normal interval it has a width where every case came out the same.

>>> share(0, 800).high < 0.005 < share(0, 700).high
True
>>> share(3, 4).shown()
'0.750 [0.301, 0.954]'
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of`, with its Wilson 95 % interval."""

    count: int
    of: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """NaN where there is nothing to count."""
        return self.count / self.of if self.of else math.nan

    def shown(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]" if self.of else "-"


def share(count: int, of: int) -> Share:
    """Nothing counted says nothing: the interval is then [0, 1]."""
    if not of:
        return Share(0, 0, 0.0, 1.0)
    p = count / of
    denominator = 1 + _Z**2 / of
    centre = (p + _Z**2 / (2 * of)) / denominator
    half = _Z * math.sqrt(p * (1 - p) / of + _Z**2 / (4 * of**2)) / denominator
    low = 0.0 if count == 0 else max(centre - half, 0.0)
    return Share(count, of, low, 1.0 if count == of else min(centre + half, 1.0))


@dataclass(frozen=True, slots=True)
class Tally:
    """What one detector said of labelled cases, and how long it took to say it."""

    seen_hacks: int = 0
    hacks: int = 0
    seen_honest: int = 0
    honest: int = 0
    failed: int = 0
    """Cases on which the detector raised: counted as not seen."""
    seconds: float = 0.0
    samples: int = 0
    characters: int = 0

    @property
    def precision(self) -> Share:
        return share(self.seen_hacks, self.seen_hacks + self.seen_honest)

    @property
    def recall(self) -> Share:
        return share(self.seen_hacks, self.hacks)

    @property
    def false_positives(self) -> Share:
        return share(self.seen_honest, self.honest)

    @property
    def microseconds_a_sample(self) -> float:
        return 1e6 * self.seconds / self.samples if self.samples else math.nan

    @property
    def microseconds_a_kilobyte(self) -> float:
        return 1e6 * self.seconds / (self.characters / 1000) if self.characters else math.nan
