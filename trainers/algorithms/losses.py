"""How the step is controlled: policy losses, entropy, averaging. Pure functions of (B, T)."""

from __future__ import annotations

import math

import torch

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.choices import Averaging, Control


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
    if control.ratio == "geometric":
        kept = clipped_log_ratio(log_ratio, advantages, control.clip_low, control.clip_high)
        return -torch.exp(sequence_log_ratio(kept, mask)) * advantages
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


def clipped_log_ratio(log_ratio: torch.Tensor, advantages: torch.Tensor, low: float, high: float) -> torch.Tensor:
    """log r, kept below log(1 + high) where the advantage is positive and above log(1 - low) where it is not.

    Zhao et al. 2025 (GMPO), arXiv 2507.20673: the clip of PPO on each token, before their geometric mean is taken.
    """
    least = math.log1p(-low) if low < 1 else -math.inf
    return torch.where(advantages > 0, log_ratio.clamp(max=math.log1p(high)), log_ratio.clamp(min=least))


def covariant(logprobs: torch.Tensor, advantages: torch.Tensor, mask: torch.Tensor, share: float) -> torch.Tensor:
    """1 at the share of chosen tokens, one at least, whose log-prob and advantage lie furthest on the same side. (B, T)

    Each token's part of Cov(log pi, A) over the step: its centred log-prob times its centred advantage. Where that is
    large, a step sharpens the policy. Cui et al. 2025, arXiv 2505.22617 (KL-Cov).
    """
    chosen = mask > 0
    if not bool(chosen.any()):
        return torch.zeros_like(mask)
    parts = (logprobs - logprobs[chosen].mean()) * (advantages - advantages[chosen].mean())
    count = max(1, int(share * int(chosen.sum())))
    return (chosen & (parts >= parts[chosen].topk(count).values[-1])).to(mask.dtype)


def uncertain(entropies: torch.Tensor, mask: torch.Tensor, share: float) -> torch.Tensor:
    """1 at the share of chosen tokens with the highest entropy, those at the quantile included. (B, T)

    Wang et al. 2025, arXiv 2506.01939: the forks of a text, where there is something to choose.
    """
    chosen = mask > 0
    if share == 1 or not bool(chosen.any()):
        return chosen.to(mask.dtype)
    found = entropies[chosen].double().sort().values
    place = (1 - share) * (len(found) - 1)  # torch.quantile, which takes 16 million numbers at most
    low, high = found[int(place)], found[min(int(place) + 1, len(found) - 1)]
    return (chosen & (entropies >= low + (place - int(place)) * (high - low))).to(mask.dtype)


def entropy_bonus(entropy: torch.Tensor, coefficient: float) -> torch.Tensor:
    """-coefficient * H a token: what a loss adds so that the policy stays undecided."""
    return -coefficient * entropy


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
