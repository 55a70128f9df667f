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

from collections.abc import Mapping, Sequence

from rlenv.evaluation.passk import lower_bound
from rlenv.evidence.exploits.finding import Severity as Severity  # others import it from here

SLACK = 1e-9
FEW = 3
"""Shares of fewer tasks are low at most."""
CUTOFFS: Mapping[Severity, float] = dict(zip(reversed(Severity), (0.9, 0.5, 0.1, 0.01), strict=False))
"""The mean share of the reference reward from which on a text that should earn nothing has this severity."""


def severity_of(shares: Sequence[float]) -> Severity:
    """The severity of the shares that one way to cheat earns on the tasks that it was tried on.

    >>> severity_of([1.0] * 8).word, severity_of([0.1] * 8).word, severity_of([1.0] + [0.0] * 31).word
    ('critical', 'medium', 'low')
    """
    if not shares:
        return Severity.INFO
    mean, paying = sum(shares) / len(shares), sum(share > 0 for share in shares)
    lower = lower_bound(paying / len(shares), len(shares)) * mean * len(shares) / max(1, paying)
    found = (s for s, cutoff in CUTOFFS.items() if mean >= cutoff - SLACK and lower >= cutoff / 2)
    severity = next(found, Severity.INFO)
    return severity if len(shares) >= FEW and paying > 1 else min(severity, Severity.LOW)


def constant_severity(shares: Sequence[float], guess_rate: float = 0.0) -> Severity:
    """Of one answer to every task: what a right one earns as well is reported as the guess rate.

    >>> constant_severity([1.0] * 4 + [0.0] * 4, guess_rate=0.5).word
    'info'
    """
    return Severity.INFO if sum(shares) <= guess_rate * len(shares) + SLACK else severity_of(shares)


def copy_severity(shares: Sequence[float], guess_rate: float = 0.0) -> Severity:
    """Of an answer that stands at a known place of the prompt: a leak where it does so on most tasks.

    Below that it is chance or the nature of the tasks: the smaller of two numbers is often their divisor. What a
    constant earns as well is taken off: a prompt that says "True or False" gives nothing away.

    >>> copy_severity([1.0] * 16).word, copy_severity([1.0] * 4 + [0.0] * 12).word
    ('critical', 'info')
    >>> copy_severity([1.0] * 11 + [0.0] * 5, guess_rate=0.6).word
    'info'
    """
    mean = sum(shares) / len(shares)
    excess = (mean - guess_rate) / (1 - guess_rate) if guess_rate < 1 else 0.0
    if lower_bound(max(0.0, excess), len(shares)) >= CUTOFFS[Severity.HIGH] / 2:
        return next((one for one in (Severity.CRITICAL, Severity.HIGH) if excess >= CUTOFFS[one]), Severity.INFO)
    return Severity.INFO
