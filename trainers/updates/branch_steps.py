"""The optimiser steps of the branches: on pairs that the environment ranks, and towards a teacher.

A preference loss is the mean over all pairs of the step, so that micro-batches, which keep a pair together, only change
memory. In on-policy distillation the student speaks and a teacher pays each token what it thinks of it:

    advantage_t = log teacher(y_t | ...) - log student(y_t | ...)        on samples y of the student

Its expectation is minus the reverse KL(student || teacher) at that token. With gamma = 0, as published, the gradient is
that of the KL of every next-token distribution, the states held fixed; with gamma = 1 that of the KL of whole
completions. Agarwal et al. 2024, arXiv 2306.13649; Lu et al. 2025, "On-Policy Distillation". Over the whole vocabulary
(the row `gkd`), both distributions are compared at every token that the student said:

    D = beta KL(teacher || m) + (1 - beta) KL(student || m),    m = beta teacher + (1 - beta) student
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.choices import Preference
from rlenv.trainers.algorithms.losses import Scored, distribution_kl, implicit_rewards, kto_kl, pair_losses
from rlenv.trainers.branches.preference import ranked_places
from rlenv.trainers.networks import logprobs as chunks
from rlenv.trainers.networks.logprobs import completion_logprobs, vocabulary_logprobs
from rlenv.trainers.networks.packing import completion_states
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.networks.sharding import passing
from rlenv.trainers.rollouts.rollout import GroupSize, Rollout, group_numbers, in_groups
from rlenv.trainers.updates.update import Step, add, averaged, take_step


@dataclass(frozen=True, slots=True)
class Pairs:
    """Rows of a rollout that make pairs, group by group. Both (P,)."""

    chosen: torch.Tensor
    rejected: torch.Tensor

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, part: slice) -> Pairs:
        return Pairs(self.chosen[part], self.rejected[part])

    def share(self, processes: Processes) -> Pairs:
        """The pairs that this process works on."""
        return Pairs(processes.share_of(self.chosen), processes.share_of(self.rejected))


def ranked_pairs(rollout: Rollout, rows: torch.Tensor, group_size: GroupSize, pairs: int) -> Pairs:
    """The pairs of the whole groups at `rows`; none from ties or from episodes that were not graded."""
    found: list[tuple[int, int]] = []
    for group in (members.tolist() for members in in_groups(rows, group_size)):
        rewards, graded = rollout.rewards[group].tolist(), rollout.graded[group].tolist()
        ranked = ranked_places([r if g else None for r, g in zip(rewards, graded, strict=True)], pairs)
        found += [(group[chosen], group[rejected]) for chosen, rejected in ranked]
    table = torch.tensor(found, dtype=torch.long, device=rollout.ids.device).view(-1, 2)
    return Pairs(table[:, 0], table[:, 1])


def preference_step(
    model: PreTrainedModel,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    rows: torch.Tensor,
    step: Step,
    reference: PreTrainedModel | None = None,
) -> dict[str, float]:
    """Accumulate the gradient of the pairs among `rows` and take one step; returns metrics under TRL's names.

    `rollout.ref_logprobs` holds the reference's log-probs where the loss has a reference; KTO also asks `reference`
    about completions to other prompts. Without any pair the weights stay as they are.
    """
    rule = step.row.preference
    if rule is None:
        raise ConfigError(f"expected an algorithm with a preference loss, got {step.row.name}")
    pairs = ranked_pairs(rollout, rows, step.group_size, rule.pairs)
    if not len(pairs):
        return {"loss": 0.0, "grad_norm": 0.0, "pairs": 0.0}
    totals = accumulate(model, rollout, pairs, step, rule, reference)
    return {
        **totals,
        **take_step(optimizer, list(model.parameters()), step, totals["loss"]),
        "pairs": float(len(pairs)),
    }


def accumulate(
    model: PreTrainedModel,
    rollout: Rollout,
    pairs: Pairs,
    step: Step,
    rule: Preference,
    reference: PreTrainedModel | None,
) -> dict[str, float]:
    """Add this process's share of the gradient of the mean loss to the model's; returns the means over all pairs."""
    kl = _kl_estimate(model, reference, rollout, pairs, step) if rule.loss == "kto" else None
    told = _predicted(rollout) if rule.nll_on_prompt else rollout.mask
    tokens = told[pairs.chosen].sum().clamp(min=1)
    totals: dict[str, float] = {}
    batches = pair_batches(rollout, pairs.share(step.processes), step.micro_batch_tokens)
    for part, own in step.processes.aligned(batches, pairs[:1]):
        scored, nll = _scored(model, rollout, part, step, rule)
        losses = pair_losses(scored, rule, kl)
        nll_share = nll / tokens
        loss = losses.sum() / len(pairs) + rule.nll_weight * nll_share
        (loss if own else 0 * loss).backward()
        measured = {name: total / len(pairs) for name, total in _measured(scored, rule).items()}
        if rule.nll_weight:
            measured["nll_loss"] = nll_share.detach()
        if own:
            add(totals, {name: value.item() for name, value in {"loss": loss.detach(), **measured}.items()})
    totals = step.processes.sum_of(totals)
    return totals if kl is None else {**totals, "kl": kl.item()}


def pair_batches(rollout: Rollout, pairs: Pairs, max_tokens: int) -> Iterator[Pairs]:
    """Pairs in their order, at most `max_tokens` of their different rows, padding included, or one pair."""
    lengths = (rollout.attention_mask > 0).sum(1).tolist()
    couples = list(zip(pairs.chosen.tolist(), pairs.rejected.tolist(), strict=True))
    start, longest = 0, 0
    held: set[int] = set()
    for place, couple in enumerate(couples):
        wider, length = held | set(couple), max(longest, *(lengths[row] for row in couple))
        if place > start and len(wider) * length > max_tokens:
            yield pairs[start:place]
            start, wider, length = place, set(couple), max(lengths[row] for row in couple)
        held, longest = wider, length
    if couples:
        yield pairs[start:]


def mismatched(rollout: Rollout, rows: torch.Tensor, group_size: GroupSize) -> Rollout:
    """Each prompt of `rows` with the completion of another prompt of them; each completion is used once.

    In the order of their groups, completions move on by the largest number of rows that share a prompt: with one row a
    prompt this is TRL's shift by one. A single prompt has no other, and its rows exchange their completions.
    """
    order = rows.sort().values
    counts = group_numbers(order, group_size).unique_consecutive(return_counts=True)[1]
    shift = 1 if len(counts) == 1 else int(counts.max())
    picked = rollout.rows(order)
    front = picked.ids.shape[1] - picked.mask.shape[1]

    def exchanged(tokens: torch.Tensor) -> torch.Tensor:
        return torch.cat([tokens[:, :front], tokens[:, front:].roll(shift, 0)], 1)

    return picked.with_(
        ids=exchanged(picked.ids), attention_mask=exchanged(picked.attention_mask), mask=picked.mask.roll(shift, 0)
    )


def sequence_logprobs(model: PreTrainedModel, rollout: Rollout, step: Step) -> torch.Tensor:
    """Sum of the log-probs of each completion's tokens, without gradient; the processes share the work. (B,)"""
    sums = torch.zeros(len(rollout), device=rollout.ids.device)
    for index, own in step.shares(rollout, torch.arange(len(rollout), device=sums.device)):
        part = rollout.rows(index)
        with torch.no_grad():
            logprobs, _ = completion_logprobs(model, part.ids, part.attention_mask, part.mask, step.temperature)
        if own:
            sums[index] = logprobs.sum(1)
    return step.processes.summed(sums)


def _kl_estimate(
    model: PreTrainedModel, reference: PreTrainedModel | None, rollout: Rollout, pairs: Pairs, step: Step
) -> torch.Tensor:
    if reference is None:
        raise ConfigError("expected a reference model for KTO, got none")
    both = torch.cat([pairs.chosen, pairs.rejected])
    others = mismatched(rollout, both, step.group_size)
    return kto_kl(sequence_logprobs(model, others, step), sequence_logprobs(reference, others, step))


def _scored(
    model: PreTrainedModel, rollout: Rollout, pairs: Pairs, step: Step, rule: Preference
) -> tuple[Scored, torch.Tensor]:
    """The log-probs of the pairs, and the sum of the negative log-probs of the tokens that are learned by heart."""
    rows, places = torch.cat([pairs.chosen, pairs.rejected]).unique(return_inverse=True)
    chosen, rejected = places.chunk(2)
    part = rollout.rows(rows)
    width = part.mask.shape[1]
    wanted = part.mask
    if rule.nll_weight and rule.nll_on_prompt:
        wanted = F.pad(part.mask, (part.ids.shape[1] - 1 - width, 0))
        wanted[chosen] = _predicted(part)[chosen].to(wanted)
    logprobs, _ = completion_logprobs(model, part.ids, part.attention_mask, wanted, step.temperature)
    said = (logprobs[:, -width:] * part.mask).sum(1)
    lengths = part.mask.sum(1)
    ref = (part.ref_logprobs * part.mask).sum(1) if rule.needs_reference else torch.zeros_like(said)
    scored = Scored(said[chosen], said[rejected], lengths[chosen], lengths[rejected], ref[chosen], ref[rejected])
    return scored, -logprobs[chosen].sum() if rule.nll_weight else torch.zeros_like(lengths[0])


def _predicted(rollout: Rollout) -> torch.Tensor:
    """What a language model predicts: a token behind another, of the prompt or said by the policy. (B, L - 1)"""
    behind, before = rollout.attention_mask[:, 1:], rollout.attention_mask[:, :-1]
    found = behind * (behind == before)
    found[:, -rollout.mask.shape[1] :] *= (rollout.mask > 0).to(found)
    return found


def _measured(scored: Scored, rule: Preference) -> dict[str, torch.Tensor]:
    """Sums over pairs, under TRL's names: log-probs are sums of a completion's tokens where there is a reference."""
    chosen, rejected = (rewards.detach() for rewards in implicit_rewards(scored, rule))
    said = (scored.chosen, scored.rejected) if rule.needs_reference else (scored.chosen_mean, scored.rejected_mean)
    return {
        "rewards/chosen": chosen.sum(),
        "rewards/rejected": rejected.sum(),
        "rewards/accuracies": (chosen > rejected).sum(),
        "rewards/margins": (chosen - rejected).sum(),
        "logps/chosen": said[0].detach().sum(),
        "logps/rejected": said[1].detach().sum(),
    }


def distillation_step(
    model: PreTrainedModel, optimizer: torch.optim.Optimizer, rollout: Rollout, rows: torch.Tensor, step: Step
) -> dict[str, float]:
    """Accumulate the gradient of the divergence at the tokens of `rows` and take one step; returns metrics."""
    teacher, beta = step.teacher, step.row.divergence
    if teacher is None or beta is None:
        raise ConfigError("a divergence needs a teacher: train(..., teacher=policy)")
    weights = step.token_weights(rollout.mask, rows)
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
        return distribution_kl(teacher, student)
    if beta == 1:
        return distribution_kl(student, teacher)
    mixture = torch.logaddexp(teacher + math.log(beta), student + math.log1p(-beta))
    return beta * distribution_kl(teacher, mixture) + (1 - beta) * distribution_kl(student, mixture)
