"""Wrappers: one definition for single environments, batches, trainers and TRL."""

from rlenv.core.wrapper import State, Wrapper
from rlenv.evidence.detector import Action, Detector
from rlenv.judge.wrapping import apply_wrappers
from rlenv.wrappers.changing import Clip, OverlongPenalty, PayIf, RunningCentre, RunningNormalise, Scale, WeightedParts
from rlenv.wrappers.compared import Ensemble, GroupWins, ReferenceCentred
from rlenv.wrappers.lagrangian import Lagrangian

__all__ = [
    "Action",
    "Clip",
    "Detector",
    "Ensemble",
    "GroupWins",
    "Lagrangian",
    "OverlongPenalty",
    "PayIf",
    "ReferenceCentred",
    "RunningCentre",
    "RunningNormalise",
    "Scale",
    "State",
    "WeightedParts",
    "Wrapper",
    "apply_wrappers",
]
