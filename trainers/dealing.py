"""Which episodes of a rollout make one optimiser step, and whether there is anything in them to learn."""

from __future__ import annotations

import numpy as np
import torch

from rlenv.trainers.advantages import varied
from rlenv.trainers.collect import SHUFFLE, derived_seed
from rlenv.trainers.config import TrainConfig
from rlenv.trainers.rollout import Rollout
from rlenv.trainers.selection import with_selection


def rows_of(rollout: Rollout, config: TrainConfig, step: int, update: int) -> torch.Tensor:
    """The episodes of one optimiser step: whole groups, dealt out anew in every epoch."""
    epoch, part = divmod(update, config.minibatches)
    size = config.group_size
    order = np.random.default_rng([derived_seed(config.seed, step, SHUFFLE), epoch]).permutation(len(rollout) // size)
    groups = np.array_split(order, config.minibatches)[part] if config.minibatches > 1 else np.sort(order)
    rows = torch.from_numpy((np.asarray(groups)[:, None] * size + np.arange(size)).reshape(-1))
    return rows.to(rollout.ids.device)


def has_signal(rollout: Rollout, config: TrainConfig) -> bool:
    """Whether two signals differ where the algorithm filters by them, else two rewards where it compares them.

    Self-training compares nothing: it has a signal where it keeps an episode. A teacher always has one.
    """
    row = config.row
    if row.selection is not None:
        return bool(with_selection(rollout, row.selection, config.group_size).advantages.any())
    if row.advantage.kind == "teacher":
        return row.divergence is not None or bool(rollout.advantages.any())
    size = config.group_size if row.needs_group else len(rollout)
    compared = rollout.signals if row.drawing.drop_constant_groups else rollout.rewards
    return bool(varied(compared, rollout.graded, size).any())
