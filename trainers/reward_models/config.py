"""The settings of one training of a reward model or of a step model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rlenv.core.errors import ConfigError

SavedDtype: TypeAlias = Literal["float32", "float16", "bfloat16"]


@dataclass(frozen=True, kw_only=True)
class FitConfig:
    """What both trainings have: the same settings, base and file give the same weights."""

    epochs: float = 1.0
    """Passes over the rows."""
    steps: int = 0
    """Optimiser steps; 0 leaves the length of the run to the epochs."""
    batch_size: int = 16
    """Rows an optimiser step."""
    micro_batch_size: int = 0
    """Rows in one forward and backward pass; 0 for the whole batch. Changes memory, not results."""
    learning_rate: float = 1e-4
    """Of AdamW, falling to 0 on a straight line; about 1e-5 for pretrained models, 1e-3 for tiny."""
    warmup_share: float = 0.1
    """Share of the run over which the learning rate rises from 0."""
    weight_decay: float = 0.01
    """Of AdamW, on everything but biases and norms."""
    max_length: int = 1024
    """Tokens; longer rows are left out and counted."""
    lora_rank: int = 0
    """Train adapters of this rank and merge them at the end; 0 trains the weights themselves."""
    frozen_embedding: bool = False
    """Leave the embedding as it is: words that the file lacks then keep their place among those it has."""
    frozen_layers: int = 0
    """Leave the embedding and so many of the lowest layers as they are."""
    eval_share: float = 0.2
    """Share of the prompts that is held out and measured, where no file of held-out rows is given."""
    saved_dtype: SavedDtype = "float32"
    """Of the weights in the folder; the figures are taken with the weights as saved."""
    seed: int = 0
    """Decides the new weights, the order of rows and which prompts are held out."""
    save_every: int = 100
    """Optimiser steps between checkpoints; what lies between is made again on resume."""

    def __post_init__(self) -> None:
        for name in ("batch_size", "max_length", "save_every"):
            if getattr(self, name) < 1:
                raise ConfigError(f"expected {name} of at least 1, got {getattr(self, name)}")
        for name in ("steps", "micro_batch_size", "lora_rank", "frozen_layers", "seed", "weight_decay"):
            if getattr(self, name) < 0:
                raise ConfigError(f"expected {name} of 0 or more, got {getattr(self, name)}")
        if not (self.epochs > 0 and self.learning_rate > 0):
            raise ConfigError(f"expected epochs and learning_rate above 0, got {self.epochs} and {self.learning_rate}")
        if not (0 <= self.warmup_share <= 1 and 0 <= self.eval_share < 1):
            raise ConfigError(f"expected shares in [0, 1), got {self.warmup_share} and {self.eval_share}")
        if self.micro_batch_size and self.batch_size % self.micro_batch_size:
            raise ConfigError(f"expected micro_batch_size to divide {self.batch_size}, got {self.micro_batch_size}")
        if self.lora_rank and (self.frozen_layers or self.frozen_embedding):
            raise ConfigError("lora_rank freezes every layer already; leave the frozen ones out beside it")


@dataclass(frozen=True, kw_only=True)
class RewardModelConfig(FitConfig):
    """Of a Bradley-Terry reward model."""

    margin: bool = False
    """Ask for a difference of at least the column `margin` of each row (Llama 2, arXiv 2307.09288, eq. 2)."""
    center: float = 0.0
    """Weight of (chosen + rejected)^2, which keeps scores around 0 (arXiv 2312.09244, eq. 2); 0.01 is usual."""
    members: int = 1
    """Models trained on the same pairs with other seeds; above 1 the folder holds an ensemble of them."""

    def __post_init__(self) -> None:
        FitConfig.__post_init__(self)
        if self.members < 1:
            raise ConfigError(f"expected members of at least 1, got {self.members}")
        if self.center < 0:
            raise ConfigError(f"expected center of 0 or more, got {self.center}")


@dataclass(frozen=True, kw_only=True)
class StepModelConfig(FitConfig):
    """Of a step model (process reward model) by token classification."""

    separator: str = "\n"
    """Stands behind every step; its last token bears the label."""

    def __post_init__(self) -> None:
        FitConfig.__post_init__(self)
        if not self.separator:
            raise ConfigError("expected a separator of at least one character, got ''")
