"""One optimiser step on the pairs that the environment ranks within the groups of a rollout.

The loss is the mean over all pairs of the step, so that micro-batches, which keep a pair together, only change memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from transformers import PreTrainedModel

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.branch_choices import Preference
from rlenv.trainers.algorithms.preference_losses import Scored, implicit_rewards, kto_kl, pair_losses
from rlenv.trainers.branches.preference import ranked_places
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.rollouts.parts import GroupSize, group_numbers, in_groups
from rlenv.trainers.rollouts.rollout import Rollout
from rlenv.trainers.updates.update import Step, add, take_step


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
    lengths = rollout.attention_mask.sum(1).tolist()
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
    found = rollout.attention_mask[:, 1:] * rollout.attention_mask[:, :-1]
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
