"""Which kind of step a row takes on a part of a rollout: a policy gradient, a natural step, pairs, or what is kept."""

from __future__ import annotations

import torch

from rlenv.trainers.loop.rollout import Rollout
from rlenv.trainers.loop.update import Step, critic_step, policy_step
from rlenv.trainers.mixtures.parts import part_by_part
from rlenv.trainers.networks.finite import SKIPPED, not_finite
from rlenv.trainers.networks.networks import Networks


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
        from rlenv.trainers.branches.preference_step import preference_step

        return preference_step(model, optimizer, rollout, rows, step, networks.reference)
    if row.divergence is not None:
        from rlenv.trainers.branches.distillation_step import distillation_step

        return distillation_step(model, optimizer, rollout, rows, step)
    if row.selection is not None:
        from rlenv.trainers.algorithms.selection import with_selection

        rule = row.selection
        rollout = part_by_part(
            rollout, step.group_size, lambda own, size, _: with_selection(own, rule, size, epoch, epochs)
        )
    if row.control.bound == "natural":
        from rlenv.trainers.loop.natural import natural_step

        return natural_step(model, rollout, rows, step)
    return policy_step(model, optimizer, rollout, rows, step, networks.value_head)
