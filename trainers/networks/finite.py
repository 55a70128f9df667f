"""What is not finite changes no weight.

A step that is skipped leaves weights and optimiser bitwise as they were. AdamW would keep a NaN for ever: one bad step
is the end of a run that takes it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import torch
from torch import nn
from torch.distributed.tensor import DTensor

SKIPPED = "skipped_steps"
"""The metric: optimiser steps of a rollout that were not taken."""


def step_if_finite(
    optimizer: torch.optim.Optimizer, parameters: Iterable[nn.Parameter], max_norm: float, loss: float
) -> tuple[float, bool]:
    """Scale the gradients down to the norm and step, where loss and norm are finite; (norm before, whether it stepped).

    The gradients are gone afterwards in any case.
    """
    total = nn.utils.clip_grad_norm_(list(parameters), max_norm)
    norm = float(total.full_tensor() if isinstance(total, DTensor) else total)
    taken = math.isfinite(loss) and math.isfinite(norm)
    if taken:
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return norm, taken


def tensors_not_finite(parts: Mapping[str, object]) -> str:
    """The first tensor that is not finite among the weights of modules and the states of optimisers; empty if none."""
    for part_name, part in parts.items():
        if isinstance(part, nn.Module):
            named = dict(part.named_parameters())
        elif isinstance(part, torch.optim.Optimizer):
            states = enumerate(part.state.values())
            named = {f"{number}.{key}": value for number, state in states for key, value in state.items()}
        else:
            continue
        for name, value in named.items():
            own: object = value.to_local() if isinstance(value, DTensor) else value
            if isinstance(own, torch.Tensor) and not bool(torch.isfinite(own).all()):
                return f"{part_name} {name}"
    return ""
