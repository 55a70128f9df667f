"""Several environments in one run: which, in what shares, each with its own group size and sampler.

    mixture = Mixture([Member(env="math/arithmetic-v0", weight=3), Member(env="games/guess-v0", group_size=16)])
    train(config, mixture, policy, "runs/mixed")

Their rewards never meet: groups, whitening and moving baselines are each environment's own
(rlenv.trainers.rollouts.parts).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rlenv.core.errors import ConfigError
from rlenv.env.batch import EnvLike, definition

FLOOR = 0.1
"""Share of the groups that a curriculum leaves to the plain shares, so that every environment is measured again."""
MEMORY = 0.8
"""What was known of an environment counts this many times as much at each rollout in which it comes."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """One environment of a mixture."""

    env: EnvLike
    weight: float = 1.0
    """Its share of the groups of a rollout, relative to the others."""
    group_size: int | None = None
    """Completions a prompt; the run's when not given."""
    sampler: str | None = None
    """Which of its tasks come; the run's when not given."""


@dataclass(frozen=True)
class Mixture:
    """The environments of a run."""

    members: Sequence[Member]
    temperature: float = 1.0
    """Shares go as weight ** (1 / temperature): above 1 they are evened out, below 1 sharpened."""
    curriculum: bool = False
    """Shares follow also how many groups of each environment show a difference, as measured on the way."""

    def __post_init__(self) -> None:
        if len(self.members) < 2:
            raise ConfigError(f"expected at least two environments in a mixture, got {len(self.members)}")
        names = [definition(member.env).id for member in self.members]
        if len(set(names)) < len(names) or "" in names:
            raise ConfigError(f"expected different environments, each with an id, in a mixture, got {names}")
        for member, name in zip(self.members, names, strict=True):
            if not 0 < member.weight < math.inf:
                raise ConfigError(f"{name}: expected a weight above 0 and finite, got {member.weight}")
        if not 0 < self.temperature < math.inf:
            raise ConfigError(f"expected a temperature of the mixture above 0 and finite, got {self.temperature}")
