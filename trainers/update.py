"""One optimiser step on a part of a rollout."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from transformers import PreTrainedModel

from rlenv.trainers.algorithm import Algorithm
from rlenv.trainers.critic import Critic
from rlenv.trainers.logprobs import completion_logprobs
from rlenv.trainers.losses import averaging_weights, clipped_objective, kl_penalty, score_function, value_loss
from rlenv.trainers.micro_batches import micro_batches
from rlenv.trainers.rollout import Rollout


@dataclass(frozen=True, kw_only=True)
class Step:
    """What an update needs to know beside the data."""

    row: Algorithm
    temperature: float
    micro_batch_tokens: int
    max_grad_norm: float
    on_policy: bool
    """True when this is the only step on the rollout: the old policy is then the present one, exactly."""


def policy_step(
    model: PreTrainedModel, optimizer: torch.optim.Optimizer, rollout: Rollout, rows: torch.Tensor, step: Step
) -> dict[str, float]:
    """Accumulate the gradient of the episodes at `rows` and take one step; returns metrics.

    Episodes whose every advantage is 0 count in the denominators and cost no pass, unless a KL in the loss
    pulls on them. Without any signal the weights stay as they are.
    """
    weights = torch.zeros_like(rollout.mask)
    weights[rows] = averaging_weights(rollout.mask[rows], step.row.averaging)
    kl_in_loss = step.row.kl_place == "loss" and step.row.kl_beta > 0
    pulled = rollout.mask if kl_in_loss else rollout.advantages
    active = rows[(pulled[rows] != 0).any(1)]
    totals: dict[str, float] = {}
    for index in micro_batches(rollout, step.micro_batch_tokens, active):
        part = rollout.rows(index)
        logprobs, entropy = completion_logprobs(model, part.ids, part.attention_mask, part.mask, step.temperature)
        old = logprobs.detach() if step.on_policy else part.old_logprobs
        terms = _objective(logprobs, old, part.advantages, step.row)
        if kl_in_loss:
            terms = terms + step.row.kl_beta * kl_penalty(logprobs, part.ref_logprobs, step.row.kl_estimator)
        loss = (terms * weights[index, : terms.shape[1]]).sum()
        loss.backward()
        _add(totals, _measured(loss, logprobs.detach(), old, entropy, part, step.row))
    if len(active) == 0:
        return {"loss": 0.0, "grad_norm": 0.0}
    norm = _step(optimizer, list(model.parameters()), step.max_grad_norm)
    tokens = totals.pop("tokens")
    loss_sum = totals.pop("loss")
    return {"loss": loss_sum, "grad_norm": norm, **{name: total / tokens for name, total in totals.items()}}


def critic_step(
    critic: Critic, optimizer: torch.optim.Optimizer, rollout: Rollout, rows: torch.Tensor, step: Step
) -> dict[str, float]:
    """One step of the critic towards the returns of the episodes at `rows`; returns metrics."""
    weights = torch.zeros_like(rollout.mask)
    weights[rows] = averaging_weights(rollout.mask[rows], "token")
    total = 0.0
    for index in micro_batches(rollout, step.micro_batch_tokens, rows):
        part = rollout.rows(index)
        values = critic(part.ids, part.attention_mask, part.mask)
        terms = value_loss(values, part.values, part.returns, step.row.value_clip)
        loss = (terms * weights[index, : terms.shape[1]]).sum()
        loss.backward()
        total += loss.item()
    norm = _step(optimizer, critic.trained_parameters(), step.max_grad_norm)
    return {"critic/loss": total, "critic/grad_norm": norm}


def _objective(logprobs: torch.Tensor, old: torch.Tensor, advantages: torch.Tensor, row: Algorithm) -> torch.Tensor:
    if row.ratio == "none":
        return score_function(logprobs, advantages)
    return clipped_objective(logprobs, old, advantages, row.clip_low, row.clip_high)


def _step(optimizer: torch.optim.Optimizer, parameters: list[nn.Parameter], max_norm: float) -> float:
    norm = float(nn.utils.clip_grad_norm_(parameters, max_norm))
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return norm


def _measured(
    loss: torch.Tensor,
    logprobs: torch.Tensor,
    old: torch.Tensor,
    entropy: torch.Tensor,
    part: Rollout,
    row: Algorithm,
) -> dict[str, float]:
    """Sums over chosen tokens, under TRL's names."""
    mask = part.mask
    ratio = torch.exp(logprobs - old)
    low = ((ratio < 1 - row.clip_low) & (part.advantages < 0)).float() * mask
    high = ((ratio > 1 + row.clip_high) & (part.advantages > 0)).float() * mask
    sums = {
        "tokens": mask.sum(),
        "loss": loss.detach(),
        "entropy": (entropy * mask).sum(),
        "clip_ratio/low_mean": low.sum(),
        "clip_ratio/high_mean": high.sum(),
        "clip_ratio/region_mean": (low + high).sum(),
        "sampling/sampling_logp_difference/mean": ((logprobs - part.old_logprobs).abs() * mask).sum(),
    }
    if part.ref_logprobs.shape[1]:
        sums["kl"] = (kl_penalty(logprobs, part.ref_logprobs, "k3") * mask).sum()
    return {name: value.item() for name, value in sums.items()}


def _add(totals: dict[str, float], values: dict[str, float]) -> None:
    for name, value in values.items():
        totals[name] = totals.get(name, 0.0) + value
