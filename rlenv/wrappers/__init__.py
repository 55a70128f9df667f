"""Wrappers: one definition for single environments, batches, trainers and TRL."""

from rlenv.wrappers.centre import RunningCentre
from rlenv.wrappers.overlong import OverlongPenalty
from rlenv.wrappers.wrapper import State, Wrapper, apply_wrappers

__all__ = ["OverlongPenalty", "RunningCentre", "State", "Wrapper", "apply_wrappers"]
