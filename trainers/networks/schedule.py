"""How the learning rate goes over a run: a rise, then constant, a straight line or half a cosine down to a tenth.

>>> [round(fall("cosine", left), 3) for left in (1.0, 0.5, 0.0)]
[1.0, 0.55, 0.1]
"""

from __future__ import annotations

import math

SCHEDULES = ("constant", "linear", "cosine")
LAST = 0.1
"""What is left of the learning rate at the end; a linear one waits there, so that every step still counts."""


def rise(step: int, warmup_steps: int) -> float:
    """The share of the learning rate at this optimiser step, counted from 0, while it rises."""
    return min(1.0, (step + 1) / max(1, warmup_steps))


def fall(schedule: str, left: float) -> float:
    """The share of the learning rate where `left` of the falling stretch is still to come; above 1 before it."""
    left = min(1.0, max(0.0, left))
    if schedule == "cosine":
        return LAST + (1 - LAST) * (1 - math.cos(math.pi * left)) / 2
    return max(LAST, left) if schedule == "linear" else 1.0
