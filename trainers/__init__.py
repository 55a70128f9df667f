"""Policies in, better policies out. A trainer sees an environment only through its interface."""

from rlenv.trainers.algorithm import ALGORITHMS, Algorithm
from rlenv.trainers.config import TrainConfig
from rlenv.trainers.sft import SftConfig
from rlenv.trainers.trainer import Trainer, train

__all__ = ["ALGORITHMS", "Algorithm", "SftConfig", "TrainConfig", "Trainer", "train"]
