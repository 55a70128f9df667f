"""Bringing a verdict to a reward exactly: its parts sum to the reward to the last bit, whatever the floats are."""

from __future__ import annotations

import math

from rlenv.core.verdict import Part, Verdict


def to_reward(verdict: Verdict, reward: float, name: str) -> Verdict:
    """The verdict with a part of this name that brings its reward to exactly `reward`: none where it is that already.

    Two parts where one float cannot hold the difference. A verifier_error stays what it is.
    """
    while verdict.reward is not None and verdict.reward != reward:
        parts = verdict.parts or (Part("reward", verdict.reward),)
        rest = math.fsum((reward, *(-part.value for part in parts)))
        verdict = verdict.with_part(name, rest)
    return verdict
