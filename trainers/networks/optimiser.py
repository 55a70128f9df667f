"""AdamW over the weights that are trained: which weights it lets decay, and how its state is held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from rlenv.core.errors import ConfigError, MissingExtra
from rlenv.trainers.settings.engine import OptimiserConfig

if TYPE_CHECKING:
    import torch
    from torch import nn

PRECISE = ("torch.float32", "torch.float64")


def adamw(parameters: Sequence[nn.Parameter], learning_rate: float, config: OptimiserConfig) -> torch.optim.Optimizer:
    """AdamW on these parameters. Raises ConfigError for weights too coarse for small steps, MissingExtra."""
    import torch

    refuse_coarse(parameters)
    betas, groups = (config.beta1, config.beta2), decaying(parameters, config.weight_decay)
    if config.kind == "adamw-8bit":
        return _eight_bit(groups, learning_rate, betas, config)
    return torch.optim.AdamW(groups, learning_rate, betas, config.epsilon, fused=True)


def decaying(parameters: Sequence[nn.Parameter], weight_decay: float) -> list[dict[str, Any]]:
    """Groups for an optimiser: matrices, which decay, apart from norms and biases, which do not."""
    if not weight_decay:
        return [{"params": list(parameters), "weight_decay": 0.0}]
    matrices, others = [p for p in parameters if p.ndim > 1], [p for p in parameters if p.ndim < 2]
    groups = [{"params": matrices, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
    return [group for group in groups if group["params"]]


def refuse_coarse(parameters: Sequence[nn.Parameter]) -> None:
    """Raise ConfigError where weights that are to be trained round small steps away.

    bfloat16 has 8 bits of a number: of a weight of 0.02, a step of 1e-6 is a hundredth of the last.
    """
    coarse = next((str(p.dtype) for p in parameters if str(p.dtype) not in PRECISE), None)
    if coarse is not None:
        name = coarse.removeprefix("torch.")
        raise ConfigError(
            f"expected weights in float32 to train, got {name}, which rounds small steps away: load them with "
            "dtype='float32' (--dtype float32) and compute in bfloat16 with engine.precision='bf16'; an adapter "
            "(engine.lora_rank) trains beside weights of any type"
        )


def _eight_bit(
    groups: list[dict[str, Any]], learning_rate: float, betas: tuple[float, float], config: OptimiserConfig
) -> torch.optim.Optimizer:
    if any(hasattr(p, "full_tensor") for group in groups for p in group["params"]):
        raise ConfigError("the 8-bit optimiser is not made for shared-out weights: use optimiser.kind='adamw' there")
    try:
        from bitsandbytes.optim import AdamW8bit
    except ImportError as error:
        raise MissingExtra("bitsandbytes", "eight-bit") from error
    return cast("torch.optim.Optimizer", AdamW8bit(groups, learning_rate, betas, config.epsilon))
