"""The algorithms as data: each is a choice of advantage, ratio, averaging and KL, one row of one table.

A policy-gradient step has two levers: what multiplies the score function (the advantage), and how far the
step may go (ratio and clip). Then come how token terms are averaged and where the KL leash is tied.
`dataclasses.replace(ALGORITHMS["grpo"], clip_high=0.28)` makes a variant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rlenv.errors import ConfigError

Advantage: TypeAlias = Literal["group_standardised", "leave_one_out", "return_whitened", "gae"]
Ratio: TypeAlias = Literal["token", "none"]
Averaging: TypeAlias = Literal["token", "sequence", "response"]
KlPlace: TypeAlias = Literal["reward", "loss"]
KlEstimator: TypeAlias = Literal["k1", "k2", "k3"]

EXACT_KL: dict[KlPlace, tuple[KlEstimator, ...]] = {"reward": ("k1",), "loss": ("k2", "k3")}
"""Where each estimator has a gradient that points the right way (see rlenv.trainers.losses.kl_penalty)."""


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """One row of the matrix."""

    name: str
    advantage: Advantage
    """What multiplies the score function (rlenv.trainers.advantages)."""
    ratio: Ratio
    """`token` weighs each token by pi/pi_old and clips; `none` is the plain score function."""
    averaging: Averaging
    """How token terms become one loss (rlenv.trainers.losses.averaging_weights)."""
    clip_low: float = 0.2
    clip_high: float = 0.2
    kl_place: KlPlace = "loss"
    kl_estimator: KlEstimator = "k3"
    kl_beta: float = 0.0
    """Weight of the KL to the reference policy; 0 keeps no reference model."""
    critic: bool = False
    """A value network supplies the baseline."""
    gamma: float = 1.0
    gae_lambda: float = 1.0
    value_clip: float = 0.2
    allow_biased_kl: bool = False
    """Permit a KL estimator in a place where its gradient is known to be wrong."""

    def __post_init__(self) -> None:
        if self.kl_estimator not in EXACT_KL[self.kl_place] and not self.allow_biased_kl:
            why = "has zero expected gradient" if self.kl_place == "loss" else "pulls towards or past the wrong policy"
            raise ConfigError(
                f"{self.kl_estimator} in the {self.kl_place} {why}; use "
                f"{' or '.join(EXACT_KL[self.kl_place])} there, or set allow_biased_kl=True"
            )
        if self.critic != (self.advantage == "gae"):
            raise ConfigError("expected critic=True exactly where the advantage is 'gae'")
        if not (0 <= self.clip_low < 1 and self.clip_high >= 0):
            raise ConfigError(f"expected 0 <= clip_low < 1 and clip_high >= 0, got {self.clip_low}, {self.clip_high}")
        if self.kl_beta < 0:
            raise ConfigError(f"expected kl_beta of 0 or more, got {self.kl_beta}")
        if not (0 < self.gamma <= 1 and 0 <= self.gae_lambda <= 1):
            raise ConfigError(f"expected gamma in (0, 1] and lambda in [0, 1], got {self.gamma}, {self.gae_lambda}")

    @property
    def needs_group(self) -> bool:
        """True when the baseline comes from the other members of the group."""
        return self.advantage in ("group_standardised", "leave_one_out")


ALGORITHMS: dict[str, Algorithm] = {
    row.name: row
    for row in (
        # Hu 2025, arXiv 2501.03262.
        Algorithm(
            name="reinforce++",
            advantage="return_whitened",
            ratio="token",
            averaging="token",
            kl_place="reward",
            kl_estimator="k1",
        ),
        # Ahmadian et al. 2024, arXiv 2402.14740.
        Algorithm(
            name="rloo",
            advantage="leave_one_out",
            ratio="none",
            averaging="sequence",
            kl_place="reward",
            kl_estimator="k1",
        ),
        # Shao et al. 2024, arXiv 2402.03300.
        Algorithm(name="grpo", advantage="group_standardised", ratio="token", averaging="response"),
        # Schulman et al. 2017, arXiv 1707.06347, with the KL in the reward of Ziegler et al. 2019.
        Algorithm(
            name="ppo",
            advantage="gae",
            ratio="token",
            averaging="token",
            kl_place="reward",
            kl_estimator="k1",
            critic=True,
        ),
    )
}


def algorithm_named(name: str | Algorithm) -> Algorithm:
    """The row of this name. Raises ConfigError that lists the names."""
    if isinstance(name, Algorithm):
        return name
    if name not in ALGORITHMS:
        raise ConfigError(f"expected an algorithm of {', '.join(ALGORITHMS)}, got {name!r}")
    return ALGORITHMS[name]
