"""Which episodes of a rollout make one optimiser step, what there is to learn in them, and which kind of step it is."""

from __future__ import annotations

import numpy as np
import torch

from rlenv.trainers.algorithms.advantages import varied
from rlenv.trainers.networks.finite import SKIPPED
from rlenv.trainers.networks.networks import Networks
from rlenv.trainers.rollouts.collect import SHUFFLE, derived_seed
from rlenv.trainers.rollouts.parts import GroupSize, in_groups, part_by_part, stretches
from rlenv.trainers.rollouts.rollout import Rollout, not_finite
from rlenv.trainers.settings.config import TrainConfig
from rlenv.trainers.updates.distillation_step import distillation_step
from rlenv.trainers.updates.natural import natural_step
from rlenv.trainers.updates.preference_step import preference_step
from rlenv.trainers.updates.selection import with_selection
from rlenv.trainers.updates.update import Step, critic_step, policy_step


def updated(
    networks: Networks, rollout: Rollout, rows: torch.Tensor, step: Step, epoch: int, epochs: int
) -> dict[str, float]:
    """Update the policy, and the critic beside it, on the episodes at `rows`; returns metrics.

    Episodes that hold a number which is not finite are not asked for a gradient at all.
    """
    if not_finite(rollout, rows):
        return {SKIPPED: 1.0}
    waiting = {"loss": 0.0, "grad_norm": 0.0}
    metrics = waiting if step.critic_only else _policy(networks, rollout, rows, step, epoch, epochs)
    if networks.critic is not None and networks.critic_optimizer is not None:
        of_critic = critic_step(networks.critic, networks.critic_optimizer, rollout, rows, step)
        metrics = {**of_critic, **metrics}
    return metrics


def _policy(
    networks: Networks, rollout: Rollout, rows: torch.Tensor, step: Step, epoch: int, epochs: int
) -> dict[str, float]:
    model, optimizer, row = networks.model, networks.optimizer, step.row
    if row.preference is not None:
        return preference_step(model, optimizer, rollout, rows, step, networks.reference)
    if row.divergence is not None:
        return distillation_step(model, optimizer, rollout, rows, step)
    if row.selection is not None:
        rule = row.selection
        rollout = part_by_part(
            rollout, step.group_size, lambda own, size, _: with_selection(own, rule, size, epoch, epochs)
        )
    if row.control.bound == "natural":
        return natural_step(model, rollout, rows, step)
    return policy_step(model, optimizer, rollout, rows, step, networks.value_head)


def rows_of(rollout: Rollout, config: TrainConfig, step: int, update: int, group_size: GroupSize) -> torch.Tensor:
    """The episodes of one optimiser step: whole groups, dealt out again in every epoch."""
    epoch, part = divmod(update, config.minibatches)
    groups = in_groups(torch.arange(len(rollout), device=rollout.ids.device), group_size)
    order = np.random.default_rng([derived_seed(config.seed, step, SHUFFLE), epoch]).permutation(len(groups))
    chosen = np.array_split(order, config.minibatches)[part] if config.minibatches > 1 else np.sort(order)
    return torch.cat([groups[group] for group in chosen.tolist()])


def has_signal(rollout: Rollout, config: TrainConfig, group_size: GroupSize) -> bool:
    """Whether two signals differ where the algorithm filters by them, else two rewards where it compares them.

    Self-training compares nothing: it has a signal where it keeps an episode. A teacher always has one.
    """
    row = config.row
    if (rule := row.selection) is not None:
        kept = part_by_part(rollout, group_size, lambda own, size, _: with_selection(own, rule, size))
        return bool(kept.advantages.any())
    if row.advantage.kind == "teacher":
        return row.divergence is not None or bool(rollout.advantages.any())
    for part, own in stretches(rollout, group_size):
        size = part.group_size if row.needs_group else part.episodes
        compared = own.signals if row.drawing.drop_constant_groups else own.rewards
        if bool(varied(compared, own.graded, size).any()):
            return True
    return False
