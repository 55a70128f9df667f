"""The settings of one training of a reward model or of a step model."""

from __future__ import annotations

from dataclasses import dataclass

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.choices import check_fields, number
from rlenv.trainers.settings.config import BELOW_ONE


@dataclass(frozen=True, kw_only=True)
class FitConfig:
    """What both trainings have: the same settings, base and file give the same weights."""

    epochs: float = number(1.0, above=True)
    """Passes over the rows."""
    steps: int = number(0)
    """Optimiser steps; 0 leaves the length of the run to the epochs."""
    batch_size: int = number(16, 1)
    """Rows an optimiser step."""
    micro_batch_size: int = number(0)
    """Rows in one forward and backward pass; 0 for the whole batch. Changes memory, not results."""
    learning_rate: float = number(1e-4, above=True)
    """Of AdamW, falling to 0 on a straight line; about 1e-5 for pretrained models, 1e-3 for tiny."""
    warmup_share: float = number(0.1, 0, 1)
    """Share of the run over which the learning rate rises from 0."""
    weight_decay: float = number(0.01)
    """Of AdamW, on everything but biases and norms."""
    max_length: int = number(1024, 1)
    """Tokens; longer rows are left out and counted."""
    lora_rank: int = number(0)
    """Train adapters of this rank and merge them at the end; 0 trains the weights themselves."""
    eval_share: float = number(0.2, 0, BELOW_ONE)
    """Share of the prompts that is held out and measured, where no file of held-out rows is given."""
    seed: int = number(0)
    """Decides the new weights, the order of rows and which prompts are held out."""
    save_every: int = number(100, 1)
    """Optimiser steps between checkpoints; what lies between is made again on resume."""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.micro_batch_size and self.batch_size % self.micro_batch_size:
            raise ConfigError(f"expected micro_batch_size to divide {self.batch_size}, got {self.micro_batch_size}")


@dataclass(frozen=True, kw_only=True)
class RewardModelConfig(FitConfig):
    """Of a Bradley-Terry reward model."""

    margin: bool = False
    """Ask for a difference of at least the column `margin` of each row (Llama 2, arXiv 2307.09288, eq. 2)."""
    center: float = number(0.0)
    """Weight of (chosen + rejected)^2, which keeps scores around 0 (arXiv 2312.09244, eq. 2); 0.01 is usual."""
    members: int = number(1, 1)
    """Models trained on the same pairs with other seeds; above 1 the folder holds an ensemble of them."""


@dataclass(frozen=True, kw_only=True)
class StepModelConfig(FitConfig):
    """Of a step model (process reward model) by token classification."""

    separator: str = "\n"
    """Stands behind every step; its last token bears the label."""

    def __post_init__(self) -> None:
        FitConfig.__post_init__(self)
        if not self.separator:
            raise ConfigError("expected a separator of at least one character, got ''")
