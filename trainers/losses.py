"""How the step is controlled: policy losses, entropy, averaging. Pure functions of (B, T)."""

from __future__ import annotations

import torch

from rlenv.errors import ConfigError
from rlenv.trainers.choices import Averaging, Control


def averaging_weights(mask: torch.Tensor, averaging: Averaging, max_new_tokens: int | None = None) -> torch.Tensor:
    """What each token counts in the loss of one optimiser step, so that the loss is `(weights * terms).sum()`.

    `token`: every token alike. `sequence`: the sum over a completion, averaged over completions. `response`: the mean
    over a completion, averaged over completions. `constant`: the sum over a completion divided by the longest length
    allowed, averaged over completions (Dr. GRPO). The denominators are those of the whole step, so that micro-batches
    only change memory. Completions without a token (mask all 0) do not count.
    """
    mask = mask if mask.is_floating_point() else mask.float()
    lengths = mask.sum(1, keepdim=True)
    completions = (lengths > 0).sum().clamp(min=1)
    if averaging == "token":
        return mask / lengths.sum().clamp(min=1)
    if averaging == "sequence":
        return mask / completions
    if averaging == "response":
        return mask / lengths.clamp(min=1) / completions
    if max_new_tokens is None:
        raise ConfigError("expected max_new_tokens with averaging='constant', which divides by it")
    return mask / max_new_tokens / completions


def policy_terms(
    logprobs: torch.Tensor, old_logprobs: torch.Tensor, advantages: torch.Tensor, mask: torch.Tensor, control: Control
) -> torch.Tensor:
    """The loss a token that this control makes of advantages; its sum with averaging weights is to be minimised."""
    if control.ratio == "none":
        return score_function(logprobs, advantages)
    log_ratio = logprobs - old_logprobs
    if control.ratio == "sequence":
        log_ratio = sequence_log_ratio(log_ratio, mask)
    ratio = torch.exp(log_ratio)
    if control.bound == "clip":
        return clipped_objective(ratio, advantages, control.clip_low, control.clip_high, control.ratio_cap)
    if control.bound == "weight":
        return weighted_score(logprobs, ratio, advantages, control.clip_low, control.clip_high)
    return -ratio * advantages


def score_function(logprobs: torch.Tensor, advantages: torch.Tensor) -> torch.Tensor:
    """-A log pi a token: its gradient is that of REINFORCE. Williams 1992."""
    return -advantages * logprobs


def clipped_objective(
    ratio: torch.Tensor, advantages: torch.Tensor, low: float, high: float, cap: float | None = None
) -> torch.Tensor:
    """-min(r A, clip(r, 1-low, 1+high) A) a token. Schulman et al. 2017, equation 7.

    With `cap`, the ratio counts at most that much where the advantage is negative: no token that the policy has come
    to like too much can throw it back without limit (dual clip, Ye et al. 2020, equation 5).
    """
    unclipped = ratio if cap is None else ratio.clamp(max=cap)
    return -torch.min(unclipped * advantages, ratio.clamp(1 - low, 1 + high) * advantages)


def weighted_score(
    logprobs: torch.Tensor, ratio: torch.Tensor, advantages: torch.Tensor, low: float, high: float
) -> torch.Tensor:
    """-clip(r, 1-low, 1+high) A log pi a token, the clipped ratio without gradient. MiniMax 2025, equation 4.

    No token's gradient is cut off, as clipping does; its weight is bounded instead.
    """
    return -ratio.clamp(1 - low, 1 + high).detach() * advantages * logprobs


def sequence_log_ratio(log_ratio: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The mean log-ratio of each completion at each of its tokens. Zheng et al. 2025 (GSPO), equations 7 and 14.

    The value is that of the whole completion, the gradient each token's own: with the average over a response, the
    sum is the gradient of the sequence objective, and advantages may differ from token to token.
    """
    mean = (log_ratio * mask).sum(1, keepdim=True) / mask.sum(1, keepdim=True).clamp(min=1)
    return mean.detach() + log_ratio - log_ratio.detach()


def entropy_bonus(entropy: torch.Tensor, coefficient: float) -> torch.Tensor:
    """-coefficient * H a token: what a loss adds so that the policy stays undecided."""
    return -coefficient * entropy


def corrected(
    advantages: torch.Tensor, logprobs: torch.Tensor, sampled_logprobs: torch.Tensor, *, cap: float, masked: bool
) -> torch.Tensor:
    """Advantages weighed by trainer/sampler a token, for rollouts that another engine or precision sampled.

    Truncated: the weight counts at most `cap` (Yao et al. 2025, TIS). Masked: a token whose weight lies outside
    [1/cap, cap] has none (Icepop). Tokens without weight still count in the denominators, so that masking cannot
    inflate the others. The weight is never negative: it goes into a clipped objective as into a plain one.
    """
    weight = torch.exp(logprobs - sampled_logprobs)
    if masked:
        return advantages * weight * ((weight <= cap) & (weight >= 1 / cap))
    return advantages * weight.clamp(max=cap)
