"""One optimiser step on a part of a rollout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import nn
from transformers import PreTrainedModel

from rlenv.trainers.algorithms.choices import Averaging
from rlenv.trainers.algorithms.losses import (
    averaging_weights,
    correction_weights,
    covariant,
    entropy_bonus,
    kl_penalty,
    mismatch,
    policy_terms,
    trust_region_penalty,
    unweighed_share,
    value_loss,
)
from rlenv.trainers.algorithms.row import Algorithm
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.networks.models import SKIPPED, Critic, ValueHead, step_if_finite
from rlenv.trainers.networks.processes import ALONE, Processes
from rlenv.trainers.rollouts.rollout import GroupSize, Rollout, group_numbers, micro_batches

RIGHT = 1.0
"""The signal at which a completion counts as right, as in the pass-rate sampler."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """What an update needs to know beside the data."""

    row: Algorithm
    temperature: float = 1.0
    micro_batch_tokens: int = 32_768
    max_grad_norm: float = 1.0
    max_new_tokens: int = 256
    group_size: GroupSize = 1
    on_policy: bool = False
    """True when this is the only step on the rollout: the old policy is then the present one, exactly."""
    corrects: bool = False
    """True when this is the only step, and weighs its tokens by present policy over sampler itself."""
    shows_sampler: bool = False
    """True before the first step on a rollout without a correction: old log-probs then differ by the sampler alone."""
    measure_all: bool = True
    """Measure also the tokens that nothing in the loss acts on, by a forward pass."""
    entropy_coefficient: float = 0.0
    kl_coefficient: float = 0.0
    """Of the trust-region penalty, as it stands now."""
    critic_only: bool = False
    """True while the critic learns what the first policy is worth, and the policy waits."""
    teacher: PreTrainedModel | None = None
    """Whose distributions a divergence is measured from."""
    processes: Processes = ALONE

    def token_weights(self, mask: torch.Tensor, rows: torch.Tensor, averaging: Averaging | None = None) -> torch.Tensor:
        """What each token counts in the loss of a step on `rows`; the row's average where no other is named. (B, T)"""
        found = torch.zeros_like(mask)
        found[rows] = averaging_weights(mask[rows], averaging or self.row.averaging, self.max_new_tokens)
        return found

    def shares(self, rollout: Rollout, rows: torch.Tensor) -> Iterator[tuple[torch.Tensor, bool]]:
        """The micro-batches of this process: its share of the groups that have episodes at `rows`, longest first.

        Groups stay whole, because the passes over their common prompt are shared. False stands beside what is passed
        only for the sake of other processes, and must not count (Processes.aligned).
        """
        spare = rows[:1]
        if self.processes.count > 1:
            groups, of_row = group_numbers(rows, self.group_size).unique(return_inverse=True)
            lengths = torch.zeros_like(groups).index_add_(0, of_row, (rollout.attention_mask[rows] > 0).sum(1))
            own = self.processes.share_of(lengths.argsort(descending=True, stable=True))
            rows = rows[torch.isin(of_row, own)]
        return self.processes.aligned(micro_batches(rollout, self.micro_batch_tokens, rows), spare)


def policy_step(
    model: PreTrainedModel,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    rows: torch.Tensor,
    step: Step,
    value_head: ValueHead | None = None,
) -> dict[str, float]:
    """Accumulate the gradient of the episodes at `rows` and take one step; returns metrics.

    Episodes whose every advantage is 0 count in the denominators and are not passed back, unless something else in the
    loss pulls on them: a KL, an entropy bonus, values on the same trunk. A forward pass measures them where
    `step.measure_all` is set. Without any signal the weights stay as they are.
    """
    row = step.row
    weights, of_critic = step.token_weights(rollout.mask, rows), step.token_weights(rollout.mask, rows, "token")
    right = rollout.mask * (rollout.signals >= RIGHT)[:, None]  # VAPO, arXiv 2504.05118: their mean over tokens
    positives = row.positive_nll * step.token_weights(right, rows, "token")
    pulled = ((_pulled(rollout, step, value_head) != 0) | (positives != 0))[rows].any(1)
    active, others = rows[pulled], rows[~pulled & (rollout.mask[rows] > 0).any(1)]
    others, scores = others if step.measure_all else others[:0], torch.zeros_like(rollout.old_logprobs)
    totals = _watched(model, rollout, others, step, scores) if len(others) else {}
    if len(active) == 0:
        shown = _sampler_shown(scores, rollout, others, step)
        return {**averaged(step.processes.sum_of(totals)), **shown, "loss": 0.0, "grad_norm": 0.0}
    held = _held(rollout, rows, row)
    for index, own in step.shares(rollout, active):
        part = rollout.rows(index)
        width = part.mask.shape[1]
        logprobs, entropy = _scored(model, part, step)
        if step.corrects:
            weight, _ = correction_weights(logprobs.detach(), part.old_logprobs, part.mask, row.correction)
            part = part.with_(advantages=part.advantages * weight)
        old = logprobs.detach() if step.on_policy or step.corrects else part.old_logprobs
        loss = (_terms(logprobs, entropy, old, part, held[index, :width], step) * weights[index, :width]).sum()
        loss = loss - (logprobs * positives[index, :width]).sum()
        if value_head is not None and row.critic is not None:
            values = value_head(model, part.ids, part.attention_mask, part.mask)
            errors = value_loss(values, part.values, part.returns, row.critic.value_clip)
            of_values = (errors * of_critic[index, :width]).sum()
            add(totals, {"critic/loss": of_values.item() * own})
            loss = loss + row.critic.coefficient * of_values
        (loss if own else 0 * loss).backward()
        if own:
            scores[index, :width] = logprobs.detach().to(scores.dtype)
            add(totals, {"loss": loss.item(), **_measured(logprobs.detach(), old, entropy.detach(), part, step)})
    heads = [] if value_head is None else list(value_head.parameters())
    metrics = averaged(step.processes.sum_of(totals))
    metrics |= _sampler_shown(scores, rollout, torch.cat([active, others]), step)
    return metrics | take_step(optimizer, [*model.parameters(), *heads], step, metrics["loss"])


def critic_step(
    critic: Critic, optimizer: torch.optim.Optimizer, rollout: Rollout, rows: torch.Tensor, step: Step
) -> dict[str, float]:
    """One step of the critic towards the returns of the episodes at `rows`; returns metrics."""
    clip = float("inf") if step.row.critic is None else step.row.critic.value_clip
    weights = step.token_weights(rollout.mask, rows, "token")
    total = 0.0
    for index, own in step.shares(rollout, rows):
        part = rollout.rows(index)
        values = critic(part.ids, part.attention_mask, part.mask)
        terms = value_loss(values, part.values, part.returns, clip)
        loss = (terms * weights[index, : terms.shape[1]]).sum()
        (loss if own else 0 * loss).backward()
        total += loss.item() * own
    metrics = step.processes.sum_of({"critic/loss": total})
    taken = take_step(optimizer, critic.trained_parameters(), step, metrics["critic/loss"])
    return metrics | {"critic/grad_norm": taken.pop("grad_norm"), **taken}


def take_step(
    optimizer: torch.optim.Optimizer, parameters: list[nn.Parameter], step: Step, loss: float
) -> dict[str, float]:
    """Sum the gradients of all processes, scale them down to the norm allowed, step; returns the norm before.

    Where the loss of all processes or the norm is not finite, nothing changes and the step counts as skipped.
    """
    step.processes.sum_gradients(parameters)
    norm, taken = step_if_finite(optimizer, parameters, step.max_grad_norm, loss)
    return {"grad_norm": norm} | ({} if taken else {SKIPPED: 1.0})


def add(totals: dict[str, float], values: dict[str, float]) -> None:
    """Add each value to the total of its name."""
    for name, value in values.items():
        totals[name] = totals.get(name, 0.0) + value


def _pulled(rollout: Rollout, step: Step, value_head: ValueHead | None) -> torch.Tensor:
    """Nonzero at the tokens that something in the loss acts on. (B, T)"""
    row = step.row
    kl_in_loss = row.kl.place == "loss" and row.kl.beta > 0
    everywhere = kl_in_loss or step.entropy_coefficient > 0 or value_head is not None or row.control.bound == "kl"
    return rollout.mask if everywhere else rollout.advantages


def _scored(model: PreTrainedModel, part: Rollout, step: Step) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probs and entropies of the chosen tokens, the entropies with a gradient where the loss uses them."""
    return completion_logprobs(
        model,
        part.ids,
        part.attention_mask,
        part.mask,
        step.temperature,
        entropy_gradient=step.entropy_coefficient > 0,
    )


def _held(rollout: Rollout, rows: torch.Tensor, row: Algorithm) -> torch.Tensor:
    """1 at the tokens of the step that a penalty on the KL to the policy that sampled is laid on. (B, T)"""
    if row.control.kl_share == 1:
        return rollout.mask
    held = torch.zeros_like(rollout.mask)
    of_step = (rollout.old_logprobs[rows], rollout.advantages[rows], rollout.mask[rows])
    held[rows] = covariant(*of_step, row.control.kl_share)
    return held


def _terms(
    logprobs: torch.Tensor,
    entropy: torch.Tensor,
    old: torch.Tensor,
    part: Rollout,
    held: torch.Tensor,
    step: Step,
) -> torch.Tensor:
    """The loss a token: the objective, and what else the row ties to the policy. (B, T)"""
    row = step.row
    terms = policy_terms(logprobs, old, part.advantages, part.mask, row.control)
    if row.kl.place == "loss" and row.kl.beta > 0:
        terms = terms + row.kl.beta * kl_penalty(logprobs, part.ref_logprobs, row.kl.estimator)
    if row.control.bound == "kl":
        terms = terms + step.kl_coefficient * held * trust_region_penalty(logprobs, old)
    if step.entropy_coefficient > 0:
        terms = terms + entropy_bonus(entropy, step.entropy_coefficient)
    return terms


@torch.no_grad()
def _watched(
    model: PreTrainedModel, rollout: Rollout, rows: torch.Tensor, step: Step, scores: torch.Tensor
) -> dict[str, float]:
    """What is measured of the episodes at `rows`, which the step leaves alone; their log-probs go into `scores`."""
    totals: dict[str, float] = {}
    for index, own in step.shares(rollout, rows):
        part = rollout.rows(index)
        logprobs, entropy = _scored(model, part, step)
        if own:
            scores[index, : part.mask.shape[1]] = logprobs.to(scores.dtype)
            old = logprobs if step.on_policy or step.corrects else part.old_logprobs
            add(totals, _measured(logprobs, old, entropy, part, step))
    return totals


def _sampler_shown(scores: torch.Tensor, rollout: Rollout, rows: torch.Tensor, step: Step) -> dict[str, float]:
    """How far the sampler was from the policy at `rows`, where the step itself has corrected for it."""
    if not step.corrects:
        return {}
    scores, old, mask = step.processes.summed(scores)[rows], rollout.old_logprobs[rows], rollout.mask[rows]
    weight, _ = correction_weights(scores, old, mask, step.row.correction)
    return {**mismatch(scores, old, mask), "sampling/unweighed_share": unweighed_share(weight, mask)}


def _measured(
    logprobs: torch.Tensor, old: torch.Tensor, entropy: torch.Tensor, part: Rollout, step: Step
) -> dict[str, float]:
    """Sums over chosen tokens, under TRL's names."""
    mask, row = part.mask, step.row
    ratio = torch.exp(logprobs - old)
    low = ((ratio < 1 - row.control.clip_low) & (part.advantages < 0)).float() * mask
    high = ((ratio > 1 + row.control.clip_high) & (part.advantages > 0)).float() * mask
    sums = {
        "tokens": mask.sum(),
        "entropy": (entropy * mask).sum(),
        "clip_ratio/low_mean": low.sum(),
        "clip_ratio/high_mean": high.sum(),
        "clip_ratio/region_mean": (low + high).sum(),
    }
    if step.shows_sampler:
        sums["sampling/sampling_logp_difference/mean"] = ((logprobs - part.old_logprobs).abs() * mask).sum()
    if part.ref_logprobs.shape[1]:
        sums["kl"] = (kl_penalty(logprobs, part.ref_logprobs, "k3") * mask).sum()
    return {name: value.item() for name, value in sums.items()}


def averaged(totals: dict[str, float]) -> dict[str, float]:
    """Losses as they are, all else a token."""
    tokens = totals.pop("tokens", 0.0)
    return {name: total if name.endswith("loss") else total / max(1.0, tokens) for name, total in totals.items()}
