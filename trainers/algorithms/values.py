"""What the critic learns: value loss and how much of the returns it explains. Pure functions of (B, T)."""

from __future__ import annotations

import torch


def value_loss(values: torch.Tensor, old_values: torch.Tensor, returns: torch.Tensor, clip: float) -> torch.Tensor:
    """Half the squared error a token, with the value kept within `clip` of the old one (PPO2)."""
    clipped = old_values + (values - old_values).clamp(-clip, clip)
    return 0.5 * torch.max((values - returns) ** 2, (clipped - returns) ** 2)


def explained_variance(values: torch.Tensor, returns: torch.Tensor, mask: torch.Tensor) -> float:
    """1 - Var(returns - values) / Var(returns) over chosen tokens; NaN where the returns do not vary."""
    v, r = values[mask > 0], returns[mask > 0]
    if r.numel() < 2 or float(r.var()) == 0:
        return float("nan")
    return float(1 - (r - v).var() / r.var())
