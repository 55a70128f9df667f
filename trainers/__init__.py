"""Policies in, better policies out. A trainer sees an environment only through its interface.

Names are imported when they are first used: settings can be read without loading torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlenv.trainers.algorithm import ALGORITHMS
    from rlenv.trainers.changes import changed, with_changes
    from rlenv.trainers.collect import tensors
    from rlenv.trainers.config import TrainConfig
    from rlenv.trainers.logprobs import completion_logprobs
    from rlenv.trainers.mixture import Member, Mixture
    from rlenv.trainers.report import write_report
    from rlenv.trainers.row import Algorithm
    from rlenv.trainers.sft import SftConfig
    from rlenv.trainers.trainer import Trainer, train

_HOMES = {
    "ALGORITHMS": "algorithm",
    "Algorithm": "row",
    "Member": "mixture",
    "Mixture": "mixture",
    "SftConfig": "sft",
    "TrainConfig": "config",
    "Trainer": "trainer",
    "changed": "changes",
    "completion_logprobs": "logprobs",
    "tensors": "collect",
    "train": "trainer",
    "with_changes": "changes",
    "write_report": "report",
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
