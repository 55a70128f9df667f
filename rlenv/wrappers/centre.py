"""Subtracts the running mean of the reward: a moving baseline that any trainer can use.

>>> from rlenv import Completion, Episode, Task, Verdict
>>> state, centre = {}, RunningCentre(decay=0.5)
>>> episode = Episode(Task("?"), Completion("x"), Verdict.of(("correct", 1.0)))
>>> [centre.judge([episode], state)[0].reward for _ in range(3)]
[1.0, 0.5, 0.25]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.verdict import Verdict
from rlenv.core.wrapper import State


@dataclass(frozen=True)
class RunningCentre:
    """The mean moves by `1 - decay` of the way to each group's mean, after the group is judged."""

    decay: float = 0.99
    name: str = "centre"
    shaping: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.decay < 1:
            raise ConfigError(f"expected 0 <= decay < 1, got {self.decay!r}")

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        mean = float(str(state.get("mean", 0.0)))
        rewards = [e.verdict.reward for e in episodes if e.verdict.reward is not None]
        if rewards:
            state["mean"] = mean + (1 - self.decay) * (sum(rewards) / len(rewards) - mean)
        return [e.verdict.with_part(self.name, -mean) for e in episodes]
