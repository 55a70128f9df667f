"""One completion as somebody's log holds it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json


@dataclass(frozen=True, slots=True)
class Record:
    """A completion, what it was asked, and what it was paid."""

    where: str
    """File and line, for messages."""
    prompt: str
    """As the log tells it, often in the model's chat template."""
    completion: Completion | None
    """None where it cannot be judged again; `problem` says why."""
    reward: float | None
    """None where the log has none: its checker failed."""
    problem: str = ""
    row: str = ""
    """The row of rlenv (docs/rows.md) that travelled along; empty where there is none."""
    task_id: str = ""
    step: int = 0
    columns: Mapping[str, Json] = field(default_factory=dict)
    """Everything else that the log says of it."""
    policy: str = ""


def number(value: object) -> float | None:
    """A reward as a number; None for what is none, NaN included, which is how tables write that.

    >>> number("0.5"), number(float("nan")), number(None), number(True)
    (0.5, None, None, 1.0)
    """
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, bool | int | float) or not math.isfinite(value):
        return None
    return float(value)
