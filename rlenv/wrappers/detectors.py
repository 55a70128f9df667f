"""Every detector by its name: what the command line, the benchmark and the documents go by."""

from __future__ import annotations

from rlenv.wrappers.detector import Detector

DETECTORS: dict[str, type[Detector]] = {}
"""Name to class. Each is made without arguments and then only observes."""
