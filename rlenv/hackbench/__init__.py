"""HackBench: completions that are paid without doing the task, honest ones beside them, and what detectors say of them.

`case` reads the cases and makes an environment of each case's reward, `figures` runs detectors on them, counts and
prints. The data are `benchmarks/hackbench2`, which the package carries.
"""

from rlenv.hackbench.case import HALVES, Case, cases
from rlenv.hackbench.figures import Figures, Measured, Seen, measure

__all__ = ["HALVES", "Case", "Figures", "Measured", "Seen", "cases", "measure"]
