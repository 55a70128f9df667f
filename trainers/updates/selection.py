"""Self-training: which episodes of a rollout are learned as they stand, and with what weight. Pure functions.

Learning the kept episodes is maximum likelihood, so it is the forward KL from a target to the policy: the policy's own
distribution where it passes a threshold (STaR, ReST), its best of so many (RAFT), or tilted by rewards.

    STaR   rewards that pass, and rationalised ones      Zelikman et al. 2022, arXiv 2203.14465
    ReST   rewards of at least a rising threshold        Gulcehre et al. 2023, arXiv 2308.08998
    RAFT   the best of each group                        Dong et al. 2023, arXiv 2304.06767

Deviations: ReST's paper keeps rewards above the threshold, here they reach it, as passing means everywhere else, and
the data of a rollout is not mixed with older data. RAFT's paper keeps the best of a group whatever it is worth;
`above` = 0 leaves out what earned nothing, for a reward of 0 is a wrong answer here.
"""

from __future__ import annotations

import torch

from rlenv.trainers.algorithms.branch_choices import Selection
from rlenv.trainers.rollouts.rollout import Rollout


def with_selection(rollout: Rollout, rule: Selection, group_size: int, epoch: int = 0, epochs: int = 1) -> Rollout:
    """The rollout with the weights of this pass as advantages, and a mask of what is kept.

    What is left out counts in no denominator: the loss is the mean negative log-likelihood of the kept tokens.
    """
    weights = selected(rollout.signals, rollout.graded, rule, group_size, epoch, epochs)[:, None]
    return rollout.with_(mask=rollout.mask * (weights > 0), advantages=rollout.mask * weights)


def selected(
    rewards: torch.Tensor, graded: torch.Tensor, rule: Selection, group_size: int, epoch: int = 0, epochs: int = 1
) -> torch.Tensor:
    """The weight of each episode, 0 for those that are left out; the checker's failures always are. (B,)"""
    if rule.kind == "demonstrations":
        return graded.to(rewards.dtype)
    if rule.kind == "threshold":
        return (graded & (rewards >= threshold_at(rule.thresholds, epoch, epochs))).to(rewards.dtype)
    if rule.kind == "top_k":
        return best(rewards, graded, rule.top_k, rule.above, group_size).to(rewards.dtype)
    return tilted_weights(rewards, graded, rule.temperature, group_size)


def threshold_at(thresholds: tuple[float, ...], epoch: int, epochs: int) -> float:
    """The threshold of this pass of `epochs`: each has its share of them, and the last pass has the last.

    >>> [threshold_at((0.2, 0.5, 1.0), epoch, 6) for epoch in range(6)]
    [0.2, 0.2, 0.5, 0.5, 1.0, 1.0]
    """
    return thresholds[len(thresholds) - 1 - (epochs - 1 - epoch) * len(thresholds) // epochs]


def best(rewards: torch.Tensor, graded: torch.Tensor, top_k: int, above: float | None, group_size: int) -> torch.Tensor:
    """Which episodes are among the best `top_k` of their group, of equal ones the earlier. (B,), bool

    >>> best(torch.tensor([0.0, 1.0, 0.5, 1.0]), torch.ones(4, dtype=torch.bool), 2, 0.0, 4)
    tensor([False,  True, False,  True])
    """
    allowed = graded if above is None else graded & (rewards > above)
    ranked = rewards.masked_fill(~allowed, -torch.inf).view(-1, group_size).argsort(dim=1, descending=True, stable=True)
    rank = ranked.argsort(dim=1)
    return (rank < top_k).flatten() & allowed


def tilted_weights(rewards: torch.Tensor, graded: torch.Tensor, temperature: float, group_size: int) -> torch.Tensor:
    """exp(reward / temperature), normalised in each group to a mean of 1 over its graded episodes. (B,)

    Samples of a policy with these weights stand for the policy tilted by exp(reward / temperature), which is what
    maximises the mean reward less temperature times the KL to that policy.
    """
    tilt = (rewards / temperature).masked_fill(~graded, -torch.inf).view(-1, group_size)
    count = graded.view(-1, group_size).sum(1, keepdim=True)
    return (tilt.softmax(1) * count).nan_to_num(0.0).flatten()
