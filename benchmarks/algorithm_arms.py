"""What benchmarks/algorithms.py runs: every row of the table, with the settings that its run here takes.

Settings were chosen on short runs of seed 100, which is none of the benchmark's seeds. Those of about half of the
arms were changed once more after a run of the benchmark's seeds that dipped below its start or gained little.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rlenv.core.jsontypes import Json
from rlenv.trainers import ALGORITHMS, TrainConfig
from rlenv.trainers.settings.changes import with_changes

Learns: TypeAlias = Literal["rollouts", "pair file", "teacher"]


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One algorithm on the demo's task."""

    algorithm: str
    learns_from: Learns = "rollouts"
    steps: int = 200
    settings: Mapping[str, int | float] = field(default_factory=dict)
    """Fields of TrainConfig that differ from all arms' own."""
    changes: Mapping[str, Json] = field(default_factory=dict)
    """Settings of the row that differ from the table's."""

    @property
    def name(self) -> str:
        """In the table: the row, and what it learns from where that is not its own rollouts."""
        return f"{self.algorithm}, offline" if self.learns_from == "pair file" else self.algorithm

    @property
    def branch(self) -> str:
        return ALGORITHMS[self.algorithm].branch

    def config(self, seed: int, share: float = 1.0) -> TrainConfig:
        """The settings of the run; `share` of its steps for a trial."""
        values: dict[str, int | float] = {
            "groups": 32,
            "group_size": 8,
            "learning_rate": 3e-4,
            "warmup_steps": 60,
            "decay_share": 0.5,
            **self.settings,
        }
        return TrainConfig(
            algorithm=with_changes(ALGORITHMS[self.algorithm], self.changes),
            steps=max(1, round(self.steps * share)),
            max_new_tokens=16,
            seed=seed,
            save_every=10_000,
            **values,  # type: ignore[arg-type]
        )


_CRITIC: dict[str, int | float] = {"critic_learning_rate": 1e-3}
_FOUR: dict[str, int | float] = {"minibatches": 4, "learning_rate": 2e-4, "warmup_steps": 120}
"""Four optimiser steps a rollout, so that ratios leave 1 and bounds have something to do."""
_SMALL: dict[str, int | float] = {"groups": 16, "learning_rate": 1e-4}
"""Half a rollout for each step of a row without a ratio, which can take but one; 2e-4 dips below the start first."""
_PAIRS: dict[str, int | float] = {"learning_rate": 2e-4, "decay_share": 0.7}

_CHOSEN: tuple[Arm, ...] = (
    Arm(algorithm="reinforce", steps=600, settings=_SMALL),
    Arm(algorithm="reinforce-baseline", steps=560, settings=_SMALL),
    Arm(algorithm="reinforce++", settings=_FOUR),
    Arm(algorithm="reinforce++-baseline", settings=_FOUR),
    Arm(algorithm="rloo", steps=480, settings={"learning_rate": 1e-4, "warmup_steps": 120}),
    Arm(algorithm="grpo", settings=_FOUR),
    Arm(algorithm="dr-grpo", settings=_FOUR),
    Arm(algorithm="dapo", steps=200, settings=_FOUR),
    Arm(
        algorithm="high-entropy", settings={**_FOUR, "learning_rate": 1.5e-4}, changes={"advantage.entropy_share": 0.5}
    ),
    Arm(algorithm="kl-cov", steps=240, settings={"minibatches": 2, "learning_rate": 1e-4}),
    Arm(
        algorithm="gfpo",
        steps=240,
        settings={**_FOUR, "learning_rate": 1e-4},
        changes={"advantage.kept_share": 0.75},
    ),
    Arm(algorithm="length-aware", steps=480, settings=_SMALL, changes={"advantage.length_weight": 0.2}),
    Arm(algorithm="darling", settings=_FOUR),
    Arm(algorithm="entropy-target", settings=_FOUR, changes={"entropy.target": 0.25}),
    Arm(algorithm="reinforce-rej", settings=_FOUR),
    Arm(algorithm="pass-at-k", steps=480, settings={"learning_rate": 1e-4, "warmup_steps": 120}),
    Arm(algorithm="max-entropy", steps=480, settings=_SMALL),
    Arm(algorithm="gmpo", settings=_FOUR),
    Arm(algorithm="gspo", settings=_FOUR, changes={"control.clip_low": 0.03, "control.clip_high": 0.04}),
    Arm(algorithm="cispo", settings={**_FOUR, "learning_rate": 1e-4}),
    Arm(algorithm="ppo", steps=180, settings={**_CRITIC, **_FOUR}),
    Arm(algorithm="ppo-kl", steps=220, settings={**_CRITIC, **_FOUR, "learning_rate": 1e-4}),
    Arm(
        algorithm="vapo",
        steps=180,
        settings={**_CRITIC, **_FOUR, "learning_rate": 1.5e-4},
        changes={"advantage.length_lambda": 1.0, "critic.pretrain": 10},
    ),
    Arm(algorithm="vineppo", steps=160, settings=_FOUR, changes={"advantage.step_tokens": 3}),
    Arm(algorithm="a2c", steps=640, settings={**_CRITIC, **_SMALL}),
    Arm(
        algorithm="trpo",
        steps=130,
        settings={**_CRITIC, "groups": 64},
        changes={"control.cg_iterations": 5, "control.fisher_share": 0.125},
    ),
    Arm(algorithm="dpo", steps=600, settings={**_PAIRS, "learning_rate": 2.5e-4}, changes={"preference.beta": 1.0}),
    Arm(
        algorithm="dpo",
        learns_from="pair file",
        steps=400,
        settings={"groups": 64, "group_size": 2, "learning_rate": 2.5e-4, "decay_share": 0.7},
        changes={"preference.beta": 1.0, "preference.nll_weight": 1.0, "preference.nll_on_prompt": False},
    ),
    Arm(algorithm="dpo-shift", steps=400, settings={**_PAIRS, "learning_rate": 3e-4}, changes={"preference.beta": 1.0}),
    Arm(algorithm="ipo", steps=420, settings=_PAIRS, changes={"preference.beta": 1.0}),
    Arm(algorithm="kto", steps=400, settings={**_PAIRS, "learning_rate": 1e-4}, changes={"preference.beta": 0.5}),
    Arm(algorithm="simpo", steps=400, settings={**_PAIRS, "learning_rate": 1e-4}, changes={"preference.margin": 0.3}),
    Arm(algorithm="orpo", steps=260, settings=_PAIRS, changes={"preference.nll_on_prompt": False}),
    Arm(
        algorithm="sft",
        steps=400,
        settings={"groups": 64, "group_size": 1, "learning_rate": 5e-4, "decay_share": 0.8},
    ),
    Arm(
        algorithm="star",
        steps=8,
        settings={
            "groups": 3072,
            "group_size": 2,
            "epochs": 4,
            "minibatches": 16,
            "learning_rate": 5e-4,
            "decay_share": 1.0,
            "warmup_steps": 10,
        },
    ),
    Arm(algorithm="rest", steps=36, settings={"groups": 128, "epochs": 3, "minibatches": 4}),
    Arm(
        algorithm="raft",
        steps=280,
        settings={"groups": 64, "group_size": 4, "decay_share": 0.7},
        changes={"selection.top_k": 4},
    ),
    Arm(
        algorithm="distill",
        learns_from="teacher",
        steps=140,
        settings={"groups": 128, "group_size": 2, "learning_rate": 6e-4},
    ),
    Arm(
        algorithm="gkd",
        learns_from="teacher",
        steps=140,
        settings={"groups": 128, "group_size": 2, "learning_rate": 6e-4},
    ),
)
_NAMED = {arm.algorithm for arm in _CHOSEN}
ARMS = (*_CHOSEN, *(Arm(algorithm=name) for name in ALGORITHMS if name not in _NAMED))
"""A row that nobody has chosen settings for runs by those that all arms share."""


def arms_named(names: list[str]) -> list[Arm]:
    """The arms of these names, all where none is given."""
    unknown = set(names) - {arm.name for arm in ARMS}
    if unknown:
        raise SystemExit(f"expected arms out of {', '.join(arm.name for arm in ARMS)}; got {', '.join(unknown)}")
    return [arm for arm in ARMS if not names or arm.name in names]
