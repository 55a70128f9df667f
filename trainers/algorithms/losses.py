"""Pure functions of (B, T): policy losses, entropy, averaging, KL, corrections; and losses on pairs (P,).

Of pairs, with h = log pi(y_w)/ref(y_w) - log pi(y_l)/ref(y_l) for a chosen y_w and a rejected y_l:

    DPO    -log sigmoid(beta h)                                       Rafailov et al. 2023, arXiv 2305.18290, eq. 7
    IPO    (h - 1/(2 beta))^2, h of means over tokens                 Azar et al. 2023, arXiv 2310.12036, eq. 17
    KTO    1 - sigmoid(+-(beta log pi/ref - beta KL)), one by one     Ethayarajh et al. 2024, arXiv 2402.01306, eq. 8
    SimPO  -log sigmoid(beta (mean log pi(y_w) - mean log pi(y_l)) - margin)    Meng et al. 2024, arXiv 2405.14734
    ORPO   NLL - beta log sigmoid(log odds(y_w) - log odds(y_l)), odds of exp(mean log pi)
                                                                      Hong et al. 2024, arXiv 2403.07691, eq. 6

IPO on means over tokens, not on sums as the paper writes it, is what its authors ran and what TRL does. ORPO's
negative log-likelihood is over prompt and chosen completion, as in TRL; `nll_on_prompt=False` leaves the prompt out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.choices import Averaging, Control, Correction, KlEstimator, Preference


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
    """The loss a token that this control makes of advantages; its sum with averaging weights is to be minimised.

    `none`       -A log pi                                          Williams 1992
    `clip`       -min(r A, clip(r, 1-low, 1+high) A)                Schulman et al. 2017, equation 7
    `weight`     -clip(r, 1-low, 1+high) A log pi, the clipped ratio without gradient: no token's gradient is cut off,
                 its weight is bounded instead                      MiniMax 2025, equation 4
    `kl`         -r A; the penalty stands beside it

    With `ratio_cap`, r counts at most that much where A is negative: no token that the policy has come to like too much
    can throw it back without limit (dual clip, Ye et al. 2020, equation 5).
    """
    if control.ratio == "none":
        return score_function(logprobs, advantages)
    log_ratio, low, high = logprobs - old_logprobs, control.clip_low, control.clip_high
    if control.ratio == "geometric":
        kept = clipped_log_ratio(log_ratio, advantages, low, high)
        return -torch.exp(sequence_log_ratio(kept, mask)) * advantages
    if control.ratio == "sequence":
        log_ratio = sequence_log_ratio(log_ratio, mask)
    ratio = torch.exp(log_ratio)
    if control.bound == "clip":
        unclipped = ratio if control.ratio_cap is None else ratio.clamp(max=control.ratio_cap)
        return -torch.min(unclipped * advantages, ratio.clamp(1 - low, 1 + high) * advantages)
    if control.bound == "weight":
        return -ratio.clamp(1 - low, 1 + high).detach() * advantages * logprobs
    return -ratio * advantages


def score_function(logprobs: torch.Tensor, advantages: torch.Tensor) -> torch.Tensor:
    """-A log pi a token: its gradient is that of REINFORCE. Williams 1992."""
    return -advantages * logprobs


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


SMALLEST, LARGEST = 2.0**-20, 2.0**20
"""Where the adaptive coefficient ends: past these it says nothing, and powers of two come back exactly."""


def kl_penalty(logprobs: torch.Tensor, ref_logprobs: torch.Tensor, estimator: KlEstimator) -> torch.Tensor:
    """An estimate of KL(pi || ref) a token, from samples of pi. Schulman 2020, "Approximating KL divergence".

    k1 = log(pi/ref) in the reward has exactly the gradient of the KL. In the loss the samples are held: the expected
    gradient of k1 is 0, that of k2 = log(pi/ref)^2 / 2 is the gradient of KL(pi || ref), and that of
    k3 = ref/pi - 1 - log(ref/pi), whose value estimates KL(pi || ref), is the gradient of KL(ref || pi).
    """
    log_ratio = logprobs - ref_logprobs
    if estimator == "k1":
        return log_ratio
    if estimator == "k2":
        return log_ratio**2 / 2
    return torch.expm1(-log_ratio) + log_ratio


def distribution_kl(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """KL(first || second) of each of N distributions, from log-probs over the vocabulary (N, V). (N,)"""
    return (first.exp() * (first - second)).sum(-1)


def trust_region_penalty(logprobs: torch.Tensor, old_logprobs: torch.Tensor) -> torch.Tensor:
    """KL(pi_old || pi) a token, from samples of pi_old: never negative, and its expected gradient is exact.

    The samples do not depend on pi, so that k3 with the policies in this order has no term left out.
    """
    return kl_penalty(old_logprobs, logprobs, "k3")


def proportional_coefficient(beta: float, kl: float, target: float) -> float:
    """beta * (1 + 0.1 e), e = kl / target - 1 within +-0.2. Ziegler et al. 2019, arXiv 1909.08593, section 2.2.

    >>> [round(proportional_coefficient(1.0, kl, 6.0), 3) for kl in (0.0, 6.0, 6.6, 60.0)]
    [0.98, 1.0, 1.01, 1.02]
    """
    return beta * (1 + 0.1 * min(max(kl / target - 1, -0.2), 0.2))


def adapted_coefficient(coefficient: float, kl: float, target: float) -> float:
    """Halved where the policy moved less than target / 1.5, doubled above 1.5 target. Schulman et al. 2017, section 4.

    >>> [adapted_coefficient(1.0, kl, 0.01) for kl in (0.001, 0.01, 0.1)]
    [0.5, 1.0, 2.0]
    """
    if kl < target / 1.5:
        coefficient /= 2
    elif kl > target * 1.5:
        coefficient *= 2
    return min(max(coefficient, SMALLEST), LARGEST)


def correction_weights(
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


LARGEST_MEAN = -1e-6
"""A mean log-prob above this counts as this in the odds: those of a certain completion are infinite."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Sums of log-probs over the tokens of P pairs, and how many tokens these are. All (P,)."""

    chosen: torch.Tensor
    rejected: torch.Tensor
    chosen_lengths: torch.Tensor
    rejected_lengths: torch.Tensor
    ref_chosen: torch.Tensor
    """Zeros for a loss without a reference."""
    ref_rejected: torch.Tensor

    @property
    def chosen_mean(self) -> torch.Tensor:
        return self.chosen / self.chosen_lengths.clamp(min=1)

    @property
    def rejected_mean(self) -> torch.Tensor:
        return self.rejected / self.rejected_lengths.clamp(min=1)


def pair_losses(scored: Scored, rule: Preference, kl: torch.Tensor | None = None) -> torch.Tensor:
    """The rule's loss of each pair, its NLL term left out. (P,)  `kl` is KTO's estimate, a scalar.

    Where preferences are Bradley-Terry with rewards r, DPO's minimum is ref * exp(r / beta), normalised; IPO's is
    ref * exp(p(y beats mu) / beta), for pairs drawn from mu, however sure.
    """
    chosen, rejected, beta = scored.chosen - scored.ref_chosen, scored.rejected - scored.ref_rejected, rule.beta
    if rule.loss == "dpo":
        return -F.logsigmoid(beta * (chosen - rule.rejected_share * rejected))
    if rule.loss == "ipo":
        chosen = chosen / scored.chosen_lengths.clamp(min=1)
        return (chosen - rejected / scored.rejected_lengths.clamp(min=1) - 1 / (2 * beta)) ** 2
    if rule.loss == "kto":  # what is desirable gains by being likelier than the KL, the other by being less likely
        kl = torch.zeros_like(chosen[:1]) if kl is None else kl
        gained = rule.desirable_weight * (1 - torch.sigmoid(beta * (chosen - kl)))
        return (gained + rule.undesirable_weight * (1 - torch.sigmoid(beta * (kl - rejected)))) / 2
    if rule.loss == "simpo":
        return -F.logsigmoid(beta * (scored.chosen_mean - scored.rejected_mean) - rule.margin)
    return beta * odds_ratio_loss(scored.chosen_mean, scored.rejected_mean)


def implicit_rewards(scored: Scored, rule: Preference) -> tuple[torch.Tensor, torch.Tensor]:
    """What TRL calls the rewards of chosen and rejected: beta log pi/ref, without a reference beta mean log pi."""
    if rule.needs_reference:
        return rule.beta * (scored.chosen - scored.ref_chosen), rule.beta * (scored.rejected - scored.ref_rejected)
    return rule.beta * scored.chosen_mean, rule.beta * scored.rejected_mean


def kto_kl(mismatched: torch.Tensor, ref_mismatched: torch.Tensor) -> torch.Tensor:
    """KTO's KL(pi || ref): the mean log-ratio of completions to prompts of others, at least 0, without gradient."""
    return (mismatched - ref_mismatched).mean().detach().clamp(min=0)


def odds_ratio_loss(chosen_mean: torch.Tensor, rejected_mean: torch.Tensor) -> torch.Tensor:
    """ORPO's -log sigmoid of the log odds ratio, odds(p) = p / (1 - p) with p = exp(mean log-prob)."""
    return -F.logsigmoid(_log_odds(chosen_mean) - _log_odds(rejected_mean))


def _log_odds(mean: torch.Tensor) -> torch.Tensor:
    mean = mean.clamp(max=LARGEST_MEAN)
    small = torch.log1p(-torch.exp(mean))
    near_one = torch.log(-torch.expm1(mean))  # each form loses its digits where the other is used
    return mean - torch.where(mean < -0.6931471805599453, small, near_one)
