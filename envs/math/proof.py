r"""Whether a verdict of MathVerifier is a proof, for those who ask which of two verifiers is right.

>>> from rlenv import Completion, Task
>>> from rlenv.envs.math.verifier import MathVerifier
>>> check, task = MathVerifier(), Task("Solve 2x = 1.", "1/2")
>>> [check.proof(check.verify(task, Completion(said))) for said in (r"\boxed{0.5}", r"\boxed{2}", r"\boxed{half}")]
['equal', 'different', 'undecided']
"""

from __future__ import annotations

from rlenv.core.verdict import Verdict
from rlenv.evaluation.second_opinion import Proof

PROVE_EQUAL = frozenset({"identity", "exact", "structure", "polynomial", "numeric", "symbolic"})
PROVE_DIFFERENT = frozenset({"exact", "polynomial", "numeric"})
"""The others also refuse a right value in a wrong form (a list for a tuple), or what they cannot tell."""


def proof(verdict: Verdict, tier: str) -> Proof:
    """What a verdict of this tier proves of the values. A flag says that more than the values was weighed."""
    if verdict.reward is None or verdict.flags:
        return "undecided"
    if verdict.reward == 1.0:
        return "equal" if tier in PROVE_EQUAL else "undecided"
    return "different" if tier in PROVE_DIFFERENT else "undecided"
