"""Policies in, better policies out. A trainer sees an environment only through its interface.

Names are imported when they are first used: settings can be read without loading torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlenv.trainers.algorithms.row import ALGORITHMS, Algorithm
    from rlenv.trainers.branches.sft import SftConfig
    from rlenv.trainers.loop.train import train
    from rlenv.trainers.loop.trainer import Trainer
    from rlenv.trainers.networks.logprobs import completion_logprobs
    from rlenv.trainers.records.report import write_report
    from rlenv.trainers.rollouts.collect import tensors
    from rlenv.trainers.settings.changes import changed, with_changes
    from rlenv.trainers.settings.config import Member, Mixture, TrainConfig

_HOMES = {
    "ALGORITHMS": "algorithms.row",
    "Algorithm": "algorithms.row",
    "Member": "settings.config",
    "Mixture": "settings.config",
    "SftConfig": "branches.sft",
    "TrainConfig": "settings.config",
    "Trainer": "loop.trainer",
    "changed": "settings.changes",
    "completion_logprobs": "networks.logprobs",
    "tensors": "rollouts.collect",
    "train": "loop.train",
    "with_changes": "settings.changes",
    "write_report": "records.report",
}

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Member",
    "Mixture",
    "SftConfig",
    "TrainConfig",
    "Trainer",
    "changed",
    "completion_logprobs",
    "tensors",
    "train",
    "with_changes",
    "write_report",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
