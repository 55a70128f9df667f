"""Losses on pairs of completions: pure functions of sequence log-probs (P,), one pair a place.

With h = log pi(y_w)/ref(y_w) - log pi(y_l)/ref(y_l) for a chosen y_w and a rejected y_l:

    DPO    -log sigmoid(beta h)                                       Rafailov et al. 2023, arXiv 2305.18290, eq. 7
    IPO    (h - 1/(2 beta))^2, h of means over tokens                 Azar et al. 2023, arXiv 2310.12036, eq. 17
    KTO    1 - sigmoid(+-(beta log pi/ref - beta KL)), one by one     Ethayarajh et al. 2024, arXiv 2402.01306, eq. 8
    SimPO  -log sigmoid(beta (mean log pi(y_w) - mean log pi(y_l)) - margin)    Meng et al. 2024, arXiv 2405.14734
    ORPO   NLL - beta log sigmoid(log odds(y_w) - log odds(y_l)), odds of exp(mean log pi)
                                                                      Hong et al. 2024, arXiv 2403.07691, eq. 6

IPO on means over tokens, not on sums as the paper writes it, is what its authors ran and what TRL does. ORPO's
negative log-likelihood is over prompt and chosen completion, as in TRL; `nll_on_prompt=False` leaves the prompt out,
which matters where prompts are nothing worth learning.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from rlenv.trainers.algorithms.branch_choices import Preference

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
    """The rule's loss of each pair, its NLL term left out. (P,)  `kl` is KTO's estimate, a scalar."""
    chosen_ratio, rejected_ratio = scored.chosen - scored.ref_chosen, scored.rejected - scored.ref_rejected
    if rule.loss == "dpo":
        return dpo_loss(chosen_ratio - rule.rejected_share * rejected_ratio, rule.beta)
    if rule.loss == "ipo":
        chosen = chosen_ratio / scored.chosen_lengths.clamp(min=1)
        return ipo_loss(chosen - rejected_ratio / scored.rejected_lengths.clamp(min=1), rule.beta)
    if rule.loss == "kto":
        kl = torch.zeros_like(chosen_ratio[:1]) if kl is None else kl
        chosen = rule.desirable_weight * kto_loss(chosen_ratio, kl, rule.beta, desirable=True)
        return (chosen + rule.undesirable_weight * kto_loss(rejected_ratio, kl, rule.beta, desirable=False)) / 2
    if rule.loss == "simpo":
        return simpo_loss(scored.chosen_mean, scored.rejected_mean, rule.beta, rule.margin)
    return rule.beta * odds_ratio_loss(scored.chosen_mean, scored.rejected_mean)


def implicit_rewards(scored: Scored, rule: Preference) -> tuple[torch.Tensor, torch.Tensor]:
    """What TRL calls the rewards of chosen and rejected: beta log pi/ref, without a reference beta mean log pi."""
    if rule.needs_reference:
        return rule.beta * (scored.chosen - scored.ref_chosen), rule.beta * (scored.rejected - scored.ref_rejected)
    return rule.beta * scored.chosen_mean, rule.beta * scored.rejected_mean


def dpo_loss(margin: torch.Tensor, beta: float) -> torch.Tensor:
    """-log sigmoid(beta h) of the difference h of the two log-ratios to the reference.

    Where preferences are Bradley-Terry with rewards r, the policy that minimises it is ref * exp(r / beta), normalised.
    """
    return -F.logsigmoid(beta * margin)


def ipo_loss(margin: torch.Tensor, tau: float) -> torch.Tensor:
    """(h - 1 / (2 tau))^2: its minimum is ref * exp(p(y beats mu) / tau), for pairs drawn from mu, however sure."""
    return (margin - 1 / (2 * tau)) ** 2


def kto_loss(log_ratio: torch.Tensor, kl: torch.Tensor, beta: float, *, desirable: bool) -> torch.Tensor:
    """1 - sigmoid(beta (log pi/ref - KL)) of a desirable completion; of the other the difference is turned round."""
    gain = log_ratio - kl if desirable else kl - log_ratio
    return 1 - torch.sigmoid(beta * gain)


def kto_kl(mismatched: torch.Tensor, ref_mismatched: torch.Tensor) -> torch.Tensor:
    """KTO's KL(pi || ref): the mean log-ratio of completions to prompts of others, at least 0, without gradient."""
    return (mismatched - ref_mismatched).mean().detach().clamp(min=0)


def simpo_loss(chosen_mean: torch.Tensor, rejected_mean: torch.Tensor, beta: float, margin: float) -> torch.Tensor:
    """-log sigmoid of the difference of the mean log-probs times beta, less the margin (the paper's gamma)."""
    return -F.logsigmoid(beta * (chosen_mean - rejected_mean) - margin)


def odds_ratio_loss(chosen_mean: torch.Tensor, rejected_mean: torch.Tensor) -> torch.Tensor:
    """ORPO's -log sigmoid of the log odds ratio, odds(p) = p / (1 - p) with p = exp(mean log-prob)."""
    return -F.logsigmoid(_log_odds(chosen_mean) - _log_odds(rejected_mean))


def _log_odds(mean: torch.Tensor) -> torch.Tensor:
    mean = mean.clamp(max=LARGEST_MEAN)
    small = torch.log1p(-torch.exp(mean))
    near_one = torch.log(-torch.expm1(mean))  # each form loses its digits where the other is used
    return mean - torch.where(mean < -0.6931471805599453, small, near_one)
