"""Who hands out tasks. A curriculum lives here, never in the environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from rlenv.episode import Episode
from rlenv.jsontypes import Json


class Sampler(Protocol):
    """Chooses the tasks of each batch; its state, plain JSON, is saved and resumed with the run."""

    def draw(self, step: int, count: int) -> list[int]:
        """Indices into the task set for one batch. The same step and state give the same indices."""

    def observe(self, episodes: Sequence[Episode]) -> None:
        """Learn from the episodes of a finished batch."""

    def state_dict(self) -> dict[str, Json]: ...

    def load_state_dict(self, state: Mapping[str, Json]) -> None: ...


class UniformSampler:
    """Every task alike, without repeats inside a batch while there are enough; addressed by (seed, step)."""

    def __init__(self, size: int, seed: int = 0) -> None:
        self.size, self.seed = size, seed

    def draw(self, step: int, count: int) -> list[int]:
        rng = np.random.default_rng([self.seed, step])
        if count > self.size:
            return [int(i) for i in rng.integers(self.size, size=count)]
        return [int(i) for i in rng.choice(self.size, size=count, replace=False)]

    def observe(self, episodes: Sequence[Episode]) -> None:
        pass

    def state_dict(self) -> dict[str, Json]:
        return {}

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        pass
