"""HackBench: labelled hacks and honest texts, and what each detector makes of them."""

from rlenv.hackbench.case import HALVES, Case, Said
from rlenv.hackbench.files import read_cases, write_cases
from rlenv.hackbench.playing import Look, Looked, look_at
from rlenv.hackbench.scoring import Share, Tally, share

__all__ = [
    "HALVES",
    "Case",
    "Look",
    "Looked",
    "Said",
    "Share",
    "Tally",
    "look_at",
    "read_cases",
    "share",
    "write_cases",
]
