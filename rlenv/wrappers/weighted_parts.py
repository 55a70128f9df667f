"""Gives the parts of a reward other weights, without touching the verifier that gave them.

>>> from rlenv import Completion, Episode, Task, Verdict
>>> episode = Episode(Task("?"), Completion("x"), Verdict.of(("correct", 1.0), ("style", 0.5)))
>>> WeightedParts({"style": 0.5}).judge([episode], {})[0].reward
1.25
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.verdict import Verdict, to_reward
from rlenv.core.wrapper import State


@dataclass(frozen=True)
class WeightedParts:
    """Each part named counts with its weight, every other with `rest`."""

    weights: Mapping[str, float] = field(hash=False)
    rest: float = 1.0
    name: str = "weighted_parts"

    def __post_init__(self) -> None:
        if not all(math.isfinite(weight) for weight in (*self.weights.values(), self.rest)):
            raise ConfigError(f"expected finite weights, got {dict(self.weights)!r} and rest {self.rest!r}")

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        return [self._weighed(episode.verdict) for episode in episodes]

    def _weighed(self, verdict: Verdict) -> Verdict:
        if verdict.reward is None:
            return verdict
        terms = [self.weights.get(part.name, self.rest) * part.value for part in verdict.parts]
        return to_reward(verdict, math.fsum(terms) if terms else self.rest * verdict.reward, self.name)
