"""Every detector by its name: what the command line, the benchmark and the documents go by."""

from __future__ import annotations

from rlenv.wrappers.detector import Detector
from rlenv.wrappers.hedging import Hedging
from rlenv.wrappers.repetition import Repetition

_KINDS: tuple[type[Detector], ...] = (Repetition, Hedging)
DETECTORS: dict[str, type[Detector]] = {kind.name: kind for kind in _KINDS}
"""Name to class. Each is made without arguments and then only observes."""
