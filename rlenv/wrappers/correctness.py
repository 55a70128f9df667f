"""How right the verifier found an answer, apart from whatever else the reward pays for."""

from __future__ import annotations

from rlenv.core.verdict import Verdict

NAMES = ("correct", "accuracy", "right", "solved", "tests")
"""Parts and scores by which verifiers say it, first to last."""


def correctness(verdict: Verdict) -> float | None:
    """What a score or part of such a name says; of several parts of none of these names nothing can be told."""
    if verdict.reward is None:
        return None
    for name in NAMES:
        if name in verdict.scores:
            return verdict.scores[name]
        for part in verdict.parts:
            if part.name == name:
                return part.value
    return verdict.reward if len(verdict.parts) <= 1 else None
