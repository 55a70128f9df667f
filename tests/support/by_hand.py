"""Episodes of several rows learned from by hand: plain passes over each row alone, beside the trainer's own steps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, with_changes
from rlenv.trainers.rollouts.collect import tensors
from rlenv.trainers.updates.prepare import FrozenModels, prepared
from rlenv.trainers.updates.update import Step, policy_step

RATE = 0.5


def rows(completion: Completion) -> list[tuple[list[int], list[int]]]:
    """The ids and the mask of each row, cut by hand."""
    ends = [*completion.breaks, len(completion.token_ids)]
    return [(list(completion.token_ids[a:b]), list(completion.mask[a:b])) for a, b in pairwise(ends)]


def by_hand(policy: TransformersPolicy, ids: list[int], mask: list[int]) -> torch.Tensor:
    """The log-prob of each chosen token of one row, by a plain pass over that row alone."""
    logits = policy.model(torch.tensor([ids])).logits[0].float()
    found: torch.Tensor = logits[:-1].log_softmax(-1).gather(1, torch.tensor(ids)[1:, None]).squeeze(1)
    return found[torch.tensor(mask[1:]) > 0]


def gradients(policy: TransformersPolicy) -> list[torch.Tensor]:
    return [p.grad.clone() for p in policy.model.parameters() if p.grad is not None]


class Kept(torch.optim.SGD):
    """SGD that keeps the gradients of its last step."""

    def step(self, closure: object = None) -> None:  # type: ignore[override]
        self.last = [p.grad.clone() for group in self.param_groups for p in group["params"] if p.grad is not None]
        super().step()


def two_steps_as_by_hand(
    ours: TransformersPolicy, theirs: TransformersPolicy, found: Sequence[Episode], group_size: int
) -> float:
    """Take two steps of GRPO on groups of episodes, and compare the gradients with those of a hand-made batch.

    Returns the largest difference between log-probs as they were recorded and as the trainer has them.
    """
    row = with_changes(ALGORITHMS["grpo"], {"kl.beta": 0.0})
    judges = FrozenModels(policy=ours.model, temperature=1.0, micro_batch_tokens=120)
    drawn = tensors(ours, found)
    again = judges.logprobs(ours.model, drawn)
    apart = float(((again - drawn.old_logprobs) * drawn.mask).abs().max())
    rollout, _ = prepared(drawn, row, group_size, judges)
    optimizer = Kept(ours.model.parameters(), lr=RATE)
    plain = torch.optim.SGD(theirs.model.parameters(), lr=RATE)
    rewards = torch.tensor([e.verdict.reward or 0.0 for e in found]).view(-1, group_size)
    spread = rewards.std(dim=1, keepdim=True)
    advantages = ((rewards - rewards.mean(dim=1, keepdim=True)) / spread.where(spread > 0, torch.ones(()))).flatten()
    for _ in range(2):
        step = Step(row=row, max_grad_norm=float("inf"), micro_batch_tokens=60, group_size=group_size)
        policy_step(ours.model, optimizer, rollout, torch.arange(len(found)), step)
        plain.zero_grad()
        for episode, advantage in zip(found, advantages, strict=True):
            if advantage:
                said = episode.completion
                now = torch.cat([by_hand(theirs, ids, mask) for ids, mask in rows(said)])
                old = torch.tensor([p for p, chosen in zip(said.logprobs, said.mask, strict=True) if chosen])
                ratio = (now - old).exp()
                gain = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
                (-gain.mean() / len(found)).backward()
        for one, other in zip(optimizer.last, gradients(theirs), strict=True):
            torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-4)
        plain.step()
    assert any(float(g.abs().max()) > 1e-3 for g in optimizer.last)
    return apart
