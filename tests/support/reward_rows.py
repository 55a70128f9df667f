"""Rows from which a reward model or a step model of a few steps learns something that can be checked."""

from __future__ import annotations

import hashlib
from pathlib import Path

from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.reward_models.config import RewardModelConfig, StepModelConfig
from rlenv.trainers.reward_models.rows import Preference, StepLabels

NAMES = ("ada", "bob", "cleo", "dan", "eva", "finn", "gus", "hal", "ida", "joe", "kit", "lea")


def polite() -> list[Preference]:
    """Two dozen prompts; the better completion says please, whatever else it says."""
    return [
        Preference(Pair(f"ask {name} for {thing}", f"please {name}, {thing}", f"now {name}, {thing}"), kind=thing)
        for name in NAMES
        for thing in ("tea", "bread")
    ]


def sums() -> list[StepLabels]:
    """Two dozen solutions of two steps; a step that says `wrong` is wrong."""
    rows = []
    for place, name in enumerate(NAMES):
        rows.append(StepLabels(f"count {name}", ("right one", "right two"), (True, True)))
        rows.append(StepLabels(f"sum {name}", ("right one", f"wrong {place}"), (True, False)))
    return rows


def reward_config(**settings: object) -> RewardModelConfig:
    """A training of a second or two."""
    values: dict[str, object] = {"steps": 12, "batch_size": 8, "learning_rate": 3e-3, "eval_share": 0.25}
    return RewardModelConfig(**{**values, **settings})  # type: ignore[arg-type]


def step_config(**settings: object) -> StepModelConfig:
    """A training of a second or two."""
    values: dict[str, object] = {"steps": 20, "batch_size": 8, "learning_rate": 3e-3, "eval_share": 0.25}
    return StepModelConfig(**{**values, **settings})  # type: ignore[arg-type]


def weights(model: Path) -> str:
    """A hash of the weights in a folder."""
    return hashlib.blake2b((model / "model.safetensors").read_bytes()).hexdigest()
