"""From a judged rollout to advantages: what the networks say of it, KL in the reward, the row's advantage.

Or what self-training keeps. Learning the kept episodes is maximum likelihood, so it is the forward KL from a target to
the policy: its own distribution where it passes a threshold (STaR, ReST), its best of so many (RAFT), or tilted by
rewards. ReST keeps what reaches the threshold, as passing means everywhere else, and mixes no older data in. RAFT's
paper keeps the best of a group whatever it is worth; `above` = 0 leaves out what earned nothing: a wrong answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from transformers import PreTrainedModel

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.advantages import (
    distinct_share,
    gae,
    group_advantages,
    length_adapted,
    returns_to_go,
    shorter_preferred,
    step_advantages,
    varied,
    whiten,
)
from rlenv.trainers.algorithms.choices import AdvantageRule, Selection
from rlenv.trainers.algorithms.losses import (
    correction_weights,
    kl_penalty,
    mismatch,
    trust_region_penalty,
    uncertain,
    unweighed_share,
)
from rlenv.trainers.algorithms.row import Algorithm
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.networks.models import Critic, ValueHead
from rlenv.trainers.networks.processes import ALONE, Processes
from rlenv.trainers.rollouts.rollout import GroupSize, Rollout, micro_batches, part_by_part
from rlenv.trainers.updates.update import RIGHT


@dataclass(frozen=True, kw_only=True)
class FrozenModels:
    """The networks that look at a rollout before it is trained on; each may be absent."""

    policy: PreTrainedModel
    temperature: float
    micro_batch_tokens: int
    reference: PreTrainedModel | None = None
    teacher: PreTrainedModel | None = None
    critic: Critic | None = None
    value_head: ValueHead | None = None
    processes: Processes = ALONE

    def logprobs(self, model: PreTrainedModel, rollout: Rollout) -> torch.Tensor:
        """What the model gives to each chosen token. (B, T)"""
        return self._over(
            rollout,
            lambda part: completion_logprobs(model, part.ids, part.attention_mask, part.mask, self.temperature)[0],
        )

    def entropies(self, rollout: Rollout) -> torch.Tensor:
        """Of the policy's distribution that each token was drawn from, in nats. (B, T)"""
        return self._over(
            rollout,
            lambda part: completion_logprobs(self.policy, part.ids, part.attention_mask, part.mask, self.temperature)[
                1
            ],
        )

    def values(self, rollout: Rollout) -> torch.Tensor | None:
        """What the critic expects of each state, or None without one. (B, T)"""
        critic, head = self.critic, self.value_head
        if critic is not None:
            return self._over(rollout, lambda part: critic(part.ids, part.attention_mask, part.mask))
        if head is not None:
            return self._over(rollout, lambda part: head(self.policy, part.ids, part.attention_mask, part.mask))
        return None

    @torch.no_grad()
    def _over(self, rollout: Rollout, score: Callable[[Rollout], torch.Tensor]) -> torch.Tensor:
        """A score of every token, micro-batch by micro-batch, each process its share."""
        found = torch.zeros_like(rollout.old_logprobs)
        rows = self.processes.block_of(torch.arange(len(rollout), device=rollout.ids.device))
        parts = micro_batches(rollout, self.micro_batch_tokens, rows)
        for index, own in self.processes.aligned(parts, torch.zeros(1, dtype=torch.long, device=found.device)):
            scored = score(rollout.rows(index))
            if own:
                found[index, : scored.shape[1]] = scored.to(found.dtype)
        return self.processes.summed(found)


def prepared(
    rollout: Rollout,
    row: Algorithm,
    group_size: GroupSize,
    models: FrozenModels,
    baselines: Mapping[str, float] = MappingProxyType({}),
    updates: int = 2,
) -> tuple[Rollout, dict[str, float]]:
    """The rollout with `advantages` and what the loss needs besides, and metrics; pure, given the networks.

    `baselines` are the moving means of earlier rewards, for rows that have one; of each part of the rollout its own.
    `updates` is how many steps the rollout is for: the only one may correct by itself (Algorithm.corrects_in_step).
    """
    if row.drawing.mask_cut:
        rollout = rollout.with_(mask=rollout.mask * ~rollout.cut[:, None])
    if row.drawing.signal == "reward":
        rollout = rollout.with_(signals=rollout.rewards)
    if row.drawing.drop_constant_groups:
        rollout = part_by_part(rollout, group_size, lambda own, size, _: _of_varied_groups(own, size))
    sampled, metrics = rollout.old_logprobs, dict[str, float]()
    corrects = row.correction.kind != "none" and not row.corrects_in_step(updates)
    if corrects:
        rollout = rollout.with_(old_logprobs=models.logprobs(models.policy, rollout))
        metrics = mismatch(rollout.old_logprobs, sampled, rollout.mask)
    if models.reference is not None:
        rollout = rollout.with_(ref_logprobs=models.logprobs(models.reference, rollout))
        if row.control.bound == "natural":  # the other steps measure it themselves
            terms = kl_penalty(rollout.old_logprobs, rollout.ref_logprobs, "k3") * rollout.mask
            metrics["kl"] = float(terms.sum() / rollout.mask.sum().clamp(min=1))
    if row.advantage.kind == "teacher" and row.divergence is None:
        rollout = rollout.with_(token_rewards=_taught(rollout, models))
    values = models.values(rollout)
    if values is not None:
        rollout = rollout.with_(values=values)
    rollout = part_by_part(
        rollout, group_size, lambda own, size, name: with_advantages(own, row, size, baselines.get(name))
    )
    if row.advantage.entropy_share < 1:
        forks = uncertain(models.entropies(rollout), rollout.mask, row.advantage.entropy_share)
        rollout = rollout.with_(advantages=rollout.advantages * forks)
    if corrects:
        weight, left = correction_weights(rollout.old_logprobs, sampled, rollout.mask, row.correction)
        metrics["sampling/unweighed_share"] = unweighed_share(weight, rollout.mask)
        rollout = rollout.with_(advantages=rollout.advantages * weight, mask=left)
    return rollout, metrics


def _of_varied_groups(rollout: Rollout, group_size: int) -> Rollout:
    """The rollout with a mask that leaves out the groups without a difference."""
    counted = varied(rollout.signals, rollout.graded, group_size).repeat_interleave(group_size)
    return rollout.with_(mask=rollout.mask * counted[:, None])


def with_advantages(rollout: Rollout, row: Algorithm, group_size: int, baseline: float | None = None) -> Rollout:
    """The row's advantages, broadcast to tokens. Ungraded completions get 0, and so does what a row selects later."""
    rule, mask = row.advantage, rollout.mask
    if rule.kind == "selected" or row.preference is not None or row.divergence is not None:
        return rollout
    token_rewards, rewards, contexts = rollout.token_rewards, rollout.rewards, rollout.contexts
    if row.kl.place == "reward" and row.kl.beta > 0:
        penalty = kl_penalty(rollout.old_logprobs, rollout.ref_logprobs, row.kl.estimator) * mask
        token_rewards = token_rewards - row.kl.beta * penalty
        rewards = rewards - row.kl.beta * penalty.sum(1)
    if row.entropy.place == "reward" and row.entropy.coefficient > 0:
        surprise = -row.entropy.coefficient * rollout.old_logprobs * mask
        token_rewards, rewards = token_rewards + surprise, rewards + surprise.sum(1)
    if rule.kind == "gae":
        adapted = length_adapted(mask, rule.length_lambda) if rule.length_lambda else rule.gae_lambda
        advantages, returns = gae(token_rewards, rollout.values, mask, rule.gamma, adapted, contexts=contexts)
        if rule.critic_lambda is not None:
            _, returns = gae(token_rewards, rollout.values, mask, rule.gamma, rule.critic_lambda, contexts=contexts)
        rollout = rollout.with_(returns=returns)
    elif rule.kind == "continued":
        advantages = step_advantages(rewards, rollout.values, mask, rule.step_tokens)
    elif rule.kind in ("return", "teacher"):
        advantages = returns_to_go(token_rewards, mask, rule.gamma, contexts) - (baseline or 0.0) * mask
    else:
        graded = _kept(rollout, rule, group_size) if rule.kept_share < 1 else rollout.graded
        rewards = _compared(rewards, rollout, rule, group_size)
        advantages = group_advantages(rewards, graded, group_size, rule)[:, None] * mask
    if rule.whiten:
        advantages = whiten(advantages, mask, ddof=rule.whiten_ddof)
    return rollout.with_(advantages=advantages)


def _compared(rewards: torch.Tensor, rollout: Rollout, rule: AdvantageRule, group_size: int) -> torch.Tensor:
    """The rewards as the row compares them within a group: by length, by how different what was said is. (B,)"""
    if rule.length_weight:
        right = rollout.graded & (rollout.signals >= RIGHT)
        rewards = shorter_preferred(rewards, rollout.mask.sum(1), right, group_size, rule.length_weight)
    if rule.diversity:
        said = rollout.ids[:, -rollout.mask.shape[1] :]
        rewards = rewards * distinct_share(said, rollout.mask, rollout.graded, group_size)
    return rewards


def measured_kl(models: FrozenModels, rollout: Rollout) -> float:
    """How far the policy has moved from the one that sampled: KL(pi_old || pi) in nats a token."""
    now = models.logprobs(models.policy, rollout)
    terms = trust_region_penalty(now, rollout.old_logprobs) * rollout.mask
    return float(terms.sum() / rollout.mask.sum().clamp(min=1))


def _kept(rollout: Rollout, rule: AdvantageRule, group_size: int) -> torch.Tensor:
    """Which completions of each group are compared: the shortest, or those with the most signal a token. (B,), bool

    Shrivastava et al. 2025 (GFPO), arXiv 2508.09726. What is not learned from (cut, masked) is not compared either.
    """
    lengths = rollout.mask.sum(1).clamp(min=1)
    worth = -lengths if rule.kept_by == "length" else rollout.signals / lengths
    learned = rollout.graded & (rollout.mask.sum(1) > 0)
    return best(worth, learned, max(2, round(rule.kept_share * group_size)), None, group_size)


def _taught(rollout: Rollout, models: FrozenModels) -> torch.Tensor:
    """What a teacher pays for each token: its log-prob minus the policy's own. (B, T)"""
    if models.teacher is None:
        raise ConfigError("advantage.kind 'teacher' needs a teacher: train(..., teacher=policy)")
    return (models.logprobs(models.teacher, rollout) - rollout.old_logprobs) * rollout.mask


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
