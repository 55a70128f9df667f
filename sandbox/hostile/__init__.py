"""Programs that attack the sandbox and its verdicts, each with the verdict that is right.

A verdict is right when the program fails (or passes because the answer really was printed), within its wall limit
and two seconds, with the status that names what happened, without the secret, and when the next program
finds the cell as it was. What the suite covers, family by family, is in docs/sandbox_attacks.md; not covered are holes
of the kernel, side channels (timing, caches), and programs that work together through the load they cause.
"""

from __future__ import annotations

from rlenv.sandbox.hostile.case import Case
from rlenv.sandbox.hostile.honest import Honest, honest_programs
from rlenv.sandbox.hostile.runner import Outcome, run_honest, run_suite
from rlenv.sandbox.hostile.suite import CASES

__all__ = ["CASES", "Case", "Honest", "Outcome", "honest_programs", "run_honest", "run_suite"]
