"""How bad it is that a text earns what it should not: shares of the reference reward, and their cut-offs.

    critical  0.9    the text earns about what a right answer earns
    high      0.5    half of it
    medium    0.1    a tenth: more than a policy needs to be drawn there
    low       0.01   seen, on few tasks or for little
    info      -      a property of the set, or a question to its author

A share counts at a level where its mean over the tasks reaches the cut-off and its lower 95 % bound reaches half of
it: one odd task of a few is no finding at the level of its share. The bound is that of the part of the tasks that pay
(Wilson 1927) times what they pay on average. What was tried on fewer than three tasks, or paid on one, is low at most.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence

from rlenv.core.errors import ConfigError

Z = 1.959964
SLACK = 1e-9
FEW = 3
"""Shares of fewer tasks are low at most."""


class Severity(enum.IntEnum):
    """Ordered: a finding at a level is also at every level below."""

    INFO = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4

    @classmethod
    def named(cls, name: str | Severity) -> Severity:
        """The severity of this name. Raises ConfigError for another."""
        if isinstance(name, Severity):
            return name
        if name.upper() not in cls.__members__:
            raise ConfigError(f"expected a severity out of {', '.join(s.word for s in reversed(cls))}, got {name!r}")
        return cls[name.upper()]

    @property
    def word(self) -> str:
        return self.name.lower()


CUTOFFS: Mapping[Severity, float] = {
    Severity.CRITICAL: 0.9,
    Severity.HIGH: 0.5,
    Severity.MEDIUM: 0.1,
    Severity.LOW: 0.01,
}
"""The mean share of the reference reward from which on a text that should earn nothing has this severity."""


def severity_of(shares: Sequence[float]) -> Severity:
    """The severity of the shares that one way to cheat earns on the tasks that it was tried on.

    >>> severity_of([1.0] * 8).word, severity_of([0.1] * 8).word, severity_of([1.0] + [0.0] * 31).word
    ('critical', 'medium', 'low')
    """
    if not shares:
        return Severity.INFO
    mean = sum(shares) / len(shares)
    paying = [share for share in shares if share > 0]
    lower = lower_bound(len(paying) / len(shares), len(shares)) * mean * len(shares) / max(1, len(paying))
    found = (s for s, cutoff in CUTOFFS.items() if mean >= cutoff - SLACK and lower >= cutoff / 2)
    severity = next(found, Severity.INFO)
    return severity if len(shares) >= FEW and len(paying) > 1 else min(severity, Severity.LOW)


def lower_bound(mean: float, count: int) -> float:
    """The lower 95 % bound of a share of `count` tasks.

    >>> round(lower_bound(1.0, 8), 2), round(lower_bound(0.5, 32), 2)
    (0.68, 0.34)
    """
    if count == 0:
        return 0.0
    share = min(1.0, max(0.0, mean))
    centre = share + Z * Z / (2 * count)
    spread = Z * math.sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    return max(0.0, (centre - spread) / (1 + Z * Z / count))
