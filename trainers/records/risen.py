"""Whether the reward of a run rose, and where to read on when it did not."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence

PAGE = "docs/my_task_does_not_learn.md"
"""What to look at, symptom by symptom."""
FEWEST = 10
"""Rollouts below which nothing is said."""
ERRORS = 2.0
"""Standard errors that a rise must exceed to be told from chance."""


def not_risen(metrics: Sequence[Mapping[str, float]]) -> str:
    """A sentence where the last fifth of the rollouts was not paid more than the first, by more than chance; else "".

    >>> not_risen([{"reward": 0.1 + 0.01 * (i % 2)} for i in range(20)])
    'the reward did not rise: 0.105 in the first 4 rollouts, 0.105 in the last 4; see docs/my_task_does_not_learn.md'
    >>> not_risen([{"reward": 0.1 + 0.01 * i} for i in range(20)])
    ''
    """
    rewards = [row["reward"] for row in metrics if "reward" in row]
    if len(rewards) < FEWEST:
        return ""
    count = max(2, len(rewards) // 5)
    first, last = rewards[:count], rewards[-count:]
    error = math.sqrt((statistics.variance(first) + statistics.variance(last)) / count)
    before, after = statistics.fmean(first), statistics.fmean(last)
    if after - before > ERRORS * error:
        return ""
    return (
        f"the reward did not rise: {before:.3g} in the first {count} rollouts, {after:.3g} in the last {count}; "
        f"see {PAGE}"
    )
