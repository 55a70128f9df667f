"""How much the mean reward changes when the same completions are judged by another verifier, with its interval."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from rlenv.evaluation.passk import Estimate, mean_interval


@dataclass
class PairedRewards:
    """Old and new rewards of the same completions, by task; a pair in which either is missing is left out.

    >>> pairs = PairedRewards(threshold=1.0)
    >>> pairs.add([("t1", 1.0, 0.0), ("t1", 0.0, 0.0), ("t2", 0.5, 1.0), ("t2", None, 1.0)])
    >>> pairs.lost, pairs.won, pairs.estimate().value
    (1, 1, 0.0)
    """

    threshold: float
    """A completion passes at this reward or more."""
    won: int = 0
    """Completions that did not pass and now do."""
    lost: int = 0
    _differences: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _low: float = math.inf
    _high: float = -math.inf

    def add(self, rewards: Iterable[tuple[str, float | None, float | None]]) -> None:
        """Count (task id, old reward, new reward)."""
        for task_id, old, new in rewards:
            if old is None or new is None:
                continue
            self.won += old < self.threshold <= new
            self.lost += new < self.threshold <= old
            self._differences[task_id].append(new - old)
            self._low, self._high = min(self._low, old, new), max(self._high, old, new)

    def estimate(self) -> Estimate | None:
        """The mean over tasks of how much more their completions earn now; None where no pair has both rewards."""
        if not self._differences:
            return None
        means = [math.fsum(found) / len(found) for found in self._differences.values()]
        width = self._high - self._low
        return mean_interval(means, bounds=(-width, width))
