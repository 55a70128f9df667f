"""How the step is controlled: policy loss, KL estimators, value loss, averaging. Pure functions of (B, T)."""

from __future__ import annotations

import torch

from rlenv.trainers.algorithm import Averaging, KlEstimator


def averaging_weights(mask: torch.Tensor, averaging: Averaging) -> torch.Tensor:
    """What each token counts in the loss of one optimiser step, so that the loss is `(weights * terms).sum()`.

    `token`: every token alike. `sequence`: the sum over a completion, averaged over completions. `response`:
    the mean over a completion, averaged over completions. The denominators are those of the whole step, so
    that micro-batches only change memory. Completions without a token (mask all 0) do not count.
    """
    mask = mask.to(torch.float32)
    lengths = mask.sum(1, keepdim=True)
    completions = (lengths > 0).sum().clamp(min=1)
    if averaging == "token":
        return mask / lengths.sum().clamp(min=1)
    if averaging == "sequence":
        return mask / completions
    return mask / lengths.clamp(min=1) / completions


def clipped_objective(
    logprobs: torch.Tensor, old_logprobs: torch.Tensor, advantages: torch.Tensor, low: float, high: float
) -> torch.Tensor:
    """-min(r A, clip(r, 1-low, 1+high) A) a token, r = pi/pi_old. Schulman et al. 2017, equation 7."""
    ratio = torch.exp(logprobs - old_logprobs)
    return -torch.min(ratio * advantages, ratio.clamp(1 - low, 1 + high) * advantages)


def score_function(logprobs: torch.Tensor, advantages: torch.Tensor) -> torch.Tensor:
    """-A log pi a token: its gradient is that of REINFORCE. Williams 1992."""
    return -advantages * logprobs


def kl_penalty(logprobs: torch.Tensor, ref_logprobs: torch.Tensor, estimator: KlEstimator) -> torch.Tensor:
    """An estimate of KL(pi || ref) a token, from samples of pi. Schulman 2020, "Approximating KL divergence".

    k1 = log(pi/ref) in the reward has exactly the gradient of the KL. In the loss its expected gradient is 0;
    there k2 = log(pi/ref)^2 / 2 and k3 = ref/pi - 1 - log(ref/pi) have expectations of their own.
    """
    log_ratio = logprobs - ref_logprobs
    if estimator == "k1":
        return log_ratio
    if estimator == "k2":
        return log_ratio**2 / 2
    return torch.expm1(-log_ratio) + log_ratio


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
