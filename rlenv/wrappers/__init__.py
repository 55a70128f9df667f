"""Wrappers: one definition for single environments, batches, trainers and TRL."""

from rlenv.core.wrapper import State, Wrapper
from rlenv.evidence.detector import Action, Detector
from rlenv.judge.wrapping import apply_wrappers
from rlenv.wrappers.centre import RunningCentre
from rlenv.wrappers.clip import Clip
from rlenv.wrappers.ensemble import Ensemble
from rlenv.wrappers.lagrangian import Lagrangian
from rlenv.wrappers.normalise import RunningNormalise
from rlenv.wrappers.overlong import OverlongPenalty
from rlenv.wrappers.pay_if import PayIf
from rlenv.wrappers.reference_centred import ReferenceCentred
from rlenv.wrappers.scale import Scale
from rlenv.wrappers.weighted_parts import WeightedParts

__all__ = [
    "Action",
    "Clip",
    "Detector",
    "Ensemble",
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
