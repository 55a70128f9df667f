"""Which episodes of a rollout make one optimiser step, and whether there is anything in them to learn."""

from __future__ import annotations

import numpy as np
import torch

from rlenv.trainers.algorithms.advantages import varied
from rlenv.trainers.algorithms.selection import with_selection
from rlenv.trainers.config import TrainConfig
from rlenv.trainers.loop.collect import SHUFFLE, derived_seed
from rlenv.trainers.loop.rollout import Rollout
from rlenv.trainers.mixtures.parts import GroupSize, in_groups, part_by_part, stretches


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
