"""Keeps the reward within bounds: one outlier of a learned reward no longer decides the update.

>>> from rlenv import Completion, Episode, Task, Verdict
>>> episode = Episode(Task("?"), Completion("x"), Verdict.of(("judge", 7.0)))
>>> Clip(-1.0, 1.0).judge([episode], {})[0].parts
(Part(name='judge', value=7.0), Part(name='clip', value=-6.0))
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
class Clip:
    """The reward is at least `low` and at most `high`."""

    low: float = -1.0
    high: float = 1.0
    name: str = "clip"
    shaping: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if math.isnan(self.low) or math.isnan(self.high) or self.low > self.high:
            raise ConfigError(f"expected low <= high, got {self.low!r} and {self.high!r}")

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        return [self._clipped(episode.verdict) for episode in episodes]

    def _clipped(self, verdict: Verdict) -> Verdict:
        if verdict.reward is None:
            return verdict
        return to_reward(verdict, min(max(verdict.reward, self.low), self.high), self.name)
