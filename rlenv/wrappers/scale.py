"""Brings rewards to another scale: `factor * reward + offset`.

>>> from rlenv import Completion, Episode, Task, Verdict
>>> episode = Episode(Task("?"), Completion("x"), Verdict.of(("judge", 8.0)))
>>> Scale(0.5, offset=-3.0).judge([episode], {})[0].reward
1.0
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
class Scale:
    """A judge's 1 to 10 becomes 0 to 1 with `Scale(1 / 9, offset=-1 / 9)`."""

    factor: float
    offset: float = 0.0
    name: str = "scale"
    shaping: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (math.isfinite(self.factor) and math.isfinite(self.offset)):
            raise ConfigError(f"expected a finite factor and offset, got {self.factor!r} and {self.offset!r}")

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        return [self._scaled(episode.verdict) for episode in episodes]

    def _scaled(self, verdict: Verdict) -> Verdict:
        if verdict.reward is None:
            return verdict
        return to_reward(verdict, self.factor * verdict.reward + self.offset, self.name)
