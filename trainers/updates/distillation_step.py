"""On-policy distillation: the student speaks, a teacher pays each token what it thinks of it.

    advantage_t = log teacher(y_t | ...) - log student(y_t | ...)        on samples y of the student

Its expectation is minus the reverse KL(student || teacher) at that token. With gamma = 0, as published, each token is
paid for itself alone and the gradient is that of the KL of every next-token distribution, the states held fixed; with
gamma = 1 it is that of the KL of whole completions. Agarwal et al. 2024, arXiv 2306.13649; Lu et al. 2025,
"On-Policy Distillation".

Over the whole vocabulary (the row `gkd`), the distributions of both are compared at every token that the student said,
and the states are held fixed:

    D = beta KL(teacher || m) + (1 - beta) KL(student || m),    m = beta teacher + (1 - beta) student
"""

from __future__ import annotations

import math

import torch
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.losses import averaging_weights
from rlenv.trainers.networks import head as chunks
from rlenv.trainers.networks.logprobs import vocabulary_logprobs
from rlenv.trainers.networks.packing import completion_states
from rlenv.trainers.networks.sharding import passing
from rlenv.trainers.rollouts.rollout import Rollout
from rlenv.trainers.updates.update import Step, add, averaged, take_step


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


def divergence(student: torch.Tensor, teacher: torch.Tensor, beta: float) -> torch.Tensor:
    """The generalised Jensen-Shannon divergence of two distributions, given as log-probs (N, V). (N,)

    Agarwal et al. 2024 (GKD), arXiv 2306.13649. At beta 0 it is KL(teacher || student), at 1 KL(student || teacher),
    to which D divided by beta, or by 1 - beta, tends there.
    """
    if beta == 0:
        return _kl(teacher, student)
    if beta == 1:
        return _kl(student, teacher)
    mixture = torch.logaddexp(teacher + math.log(beta), student + math.log1p(-beta))
    return beta * _kl(teacher, mixture) + (1 - beta) * _kl(student, mixture)


def _kl(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    return (first.exp() * (first - second)).sum(-1)
