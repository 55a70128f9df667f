"""One optimiser step towards a teacher's distributions over the whole vocabulary (rlenv.trainers.branches.teacher)."""

from __future__ import annotations

import torch
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.losses import averaging_weights
from rlenv.trainers.branches.teacher import divergence
from rlenv.trainers.loop.rollout import Rollout
from rlenv.trainers.loop.update import Step, add, averaged, take_step
from rlenv.trainers.networks import head as chunks
from rlenv.trainers.networks.logprobs import vocabulary_logprobs
from rlenv.trainers.networks.packing import completion_states
from rlenv.trainers.networks.sharding import passing


def distillation_step(
    model: PreTrainedModel, optimizer: torch.optim.Optimizer, rollout: Rollout, rows: torch.Tensor, step: Step
) -> dict[str, float]:
    """Accumulate the gradient of the divergence at the tokens of `rows` and take one step; returns metrics."""
    teacher, beta = step.teacher, step.row.divergence
    if teacher is None or beta is None:
        raise ConfigError("a divergence needs a teacher: train(..., teacher=policy)")
    weights = torch.zeros_like(rollout.mask)
    weights[rows] = averaging_weights(rollout.mask[rows], step.row.averaging, step.max_new_tokens)
    totals: dict[str, float] = {}
    for index, own in step.shares(rollout, rows[(rollout.mask[rows] > 0).any(1)]):
        part = rollout.rows(index)
        found, entropy = passing(model, _compared, model, teacher, part, beta, step.temperature)
        loss = (found * weights[index, : part.mask.shape[1]][part.mask > 0]).sum()
        (loss if own else 0 * loss).backward()
        if own:
            add(totals, {"loss": loss.item(), "entropy": entropy.sum().item(), "tokens": float(len(found))})
    metrics = averaged(step.processes.sum_of(totals))
    return metrics | take_step(optimizer, list(model.parameters()), step, metrics.get("loss", 0.0))


def _compared(
    model: PreTrainedModel, teacher: PreTrainedModel, part: Rollout, beta: float, temperature: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """The divergence at each of the N tokens that the policy chose, and its entropy there. Both (N,)"""
    width, chosen = part.mask.shape[1], part.mask > 0
    hidden = completion_states(model, part.ids, part.attention_mask, width)[chosen]
    with torch.no_grad():
        taught = completion_states(teacher, part.ids, part.attention_mask, width)[chosen]
    return _divergences((model, hidden), (teacher, taught), beta, temperature)


def _divergences(
    student: tuple[PreTrainedModel, torch.Tensor],
    teacher: tuple[PreTrainedModel, torch.Tensor],
    beta: float,
    temperature: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The divergence at each of N rows of hidden states (N, H), and the student's entropy, in chunks. Both (N,)"""

    def of_rows(hidden: torch.Tensor, taught: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        ours = vocabulary_logprobs(student[0], hidden, temperature)
        with torch.no_grad():
            theirs = vocabulary_logprobs(teacher[0], taught, temperature)
        return divergence(ours, theirs, beta), -(ours.exp() * ours).sum(-1).detach()

    size = max(1, chunks.CHUNK_ELEMENTS // int(student[0].config.vocab_size))
    pairs = zip(student[1].split(size), teacher[1].split(size), strict=True)
    parts = [checkpoint(of_rows, ours, theirs, use_reentrant=False) for ours, theirs in pairs]
    return torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts])
