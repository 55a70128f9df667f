"""Brings rewards to mean 0 and standard deviation 1, by what the run has paid so far.

The statistics are those of the groups that came before: a group does not move its own baseline. Until `least`
rewards have been seen, nothing is changed.

>>> from rlenv import Completion, Episode, Task, Verdict
>>> state, normalise = {}, RunningNormalise(least=2)
>>> group = [Episode(Task("?"), Completion("x"), Verdict.of(("judge", reward))) for reward in (2.0, 6.0)]
>>> [verdict.reward for verdict in normalise.judge(group, state)]
[2.0, 6.0]
>>> [verdict.reward for verdict in normalise.judge(group, state)]
[-1.0, 1.0]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.verdict import Verdict, to_reward
from rlenv.core.wrapper import State


@dataclass(frozen=True)
class RunningNormalise:
    """Mean and population deviation of all rewards of the run (Welford), or of the latest where `memory` is given."""

    least: int = 32
    """Rewards before the first change."""
    memory: int | None = None
    """About how many rewards back it looks; None means all of them."""
    name: str = "normalise"
    shaping: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.least < 2 or (self.memory is not None and self.memory < 2):
            raise ConfigError(f"expected least and memory of at least 2, got {self.least} and {self.memory}")

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        count, mean, square = (float(str(state.get(key, 0.0))) for key in ("count", "mean", "square"))
        deviation = math.sqrt(square / count) if count >= self.least else 0.0
        for reward in (e.verdict.reward for e in episodes if e.verdict.reward is not None):
            if self.memory is not None and count >= self.memory:
                count, square = count * (1 - 1 / self.memory), square * (1 - 1 / self.memory)
            count += 1
            moved = reward - mean
            mean += moved / count
            square += moved * (reward - mean)
        before = float(str(state.get("mean", 0.0)))
        state.update({"count": count, "mean": mean, "square": square})
        return [self._normalised(e.verdict, before, deviation) for e in episodes]

    def _normalised(self, verdict: Verdict, mean: float, deviation: float) -> Verdict:
        """Where all rewards were equal so far there is no scale yet."""
        if verdict.reward is None or deviation <= 1e-8 * max(1.0, abs(mean)):
            return verdict
        return to_reward(verdict, (verdict.reward - mean) / deviation, self.name)
