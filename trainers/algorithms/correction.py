"""What is done where the engine that sampled and the trainer give a token different probabilities.

The weight of a token is trainer/sampler: its own ratio, or that of its whole completion. Truncated importance
sampling: Yao et al. 2025 (TIS); masked: Ling Team 2025, arXiv 2510.18855 (IcePop).
"""

from __future__ import annotations

import torch

from rlenv.trainers.algorithms.choices import Correction


def weights(
    logprobs: torch.Tensor, sampled: torch.Tensor, mask: torch.Tensor, rule: Correction
) -> tuple[torch.Tensor, torch.Tensor]:
    """What each token's advantage is multiplied by, and the mask that is left. (B, T), (B, T)

    Silenced tokens still count in the denominators, so that masking cannot inflate the others; rejected ones do not.
    The weight is never negative: it goes into a clipped objective as into a plain one.
    """
    difference = torch.where(mask > 0, logprobs - sampled, 0.0)
    if rule.per != "token":
        difference = difference.sum(1, keepdim=True).expand_as(mask)
    if rule.per == "geometric":
        difference = difference / mask.sum(1, keepdim=True).clamp(min=1)
    weight = torch.exp(difference)
    if rule.kind == "truncate":
        return weight.clamp(max=rule.cap), mask
    within = (weight <= rule.cap) & (weight >= 1 / rule.cap)
    silenced = torch.where(within, weight, 0.0)  # a product over a long completion may be infinite
    return silenced, mask * within if rule.kind == "reject" else mask


def mismatch(logprobs: torch.Tensor, sampled: torch.Tensor, mask: torch.Tensor) -> dict[str, float]:
    """How far the engine that sampled is from the trainer, under TRL's names; `kl` is KL(sampler || trainer) by k3."""
    chosen = mask > 0
    if not chosen.any():
        return {}
    difference = (logprobs - sampled)[chosen]
    ratio = torch.exp(difference)
    return {
        "sampling/sampling_logp_difference/mean": float(difference.abs().mean()),
        "sampling/sampling_logp_difference/max": float(difference.abs().max()),
        "sampling/importance_sampling_ratio/min": float(ratio.min()),
        "sampling/importance_sampling_ratio/mean": float(ratio.mean()),
        "sampling/importance_sampling_ratio/max": float(ratio.max()),
        "sampling/kl": float((ratio - 1 - difference).mean()),
    }


def unweighed_share(weight: torch.Tensor, mask: torch.Tensor) -> float:
    """The share of chosen tokens that a correction silenced or rejected."""
    chosen = mask > 0
    return float((weight[chosen] == 0).double().mean()) if chosen.any() else 0.0
