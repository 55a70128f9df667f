"""Where a run stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Position:
    """`update` optimiser steps of rollout `step` are done."""

    step: int = 0
    update: int = 0
    optimiser_steps: int = 0
    tokens: int = 0
    quiet_steps: int = 0
    """Rollouts in a row without a signal."""
    best: float | None = None
    """Mean reward between two checkpoints of the policy in best/."""
    episodes_at: int = 0
    """Bytes of the saved episodes before the rollout under way."""
    stopped: bool = False
    """A monitor has ended the run."""
