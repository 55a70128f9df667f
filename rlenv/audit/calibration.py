"""What right answers earn, what blind guessing earns, and what the checker did with hostile texts."""

from __future__ import annotations

from collections.abc import Sequence

from rlenv.audit.finding import Finding
from rlenv.audit.judge import Said, Trouble, late
from rlenv.audit.severity import CUTOFFS, Severity, lower_bound, severity_of
from rlenv.audit.subject import Subject
from rlenv.audit.tally import evidence

GUESSED = 0.1
"""A guess rate from which on it is reported."""
ENOUGH_TASKS = 8
OFTEN = 0.75
"""A guess rate from which on it is more than a property: most of the reward is had by one constant."""


def reference_findings(subject: Subject) -> list[Finding]:
    """Right answers that the checker fails on, or pays less than it pays others."""
    found = []
    failed = [i for i, verdict in enumerate(subject.right) if verdict.reward is None]
    if failed:
        found.append(_references(subject, "reference/error", "the checker fails on the right answer", failed))
    full = max((verdict.reward for verdict in subject.right if verdict.reward is not None), default=0.0)
    low = [i for i, verdict in enumerate(subject.right) if verdict.reward is not None and verdict.reward < full]
    if full <= subject.floor:
        low = [i for i in range(len(subject.right)) if i not in failed]
    if low:
        found.append(_references(subject, "reference/refused", "the right answer does not earn the full reward", low))
    return found


def guess_findings(subject: Subject) -> list[Finding]:
    """The guess rate of sets with few different answers: a property, but where one answer is nearly always right."""
    count = len(subject.samples)
    if count < ENOUGH_TASKS or subject.programs:
        return []
    rate, answer, distinct = subject.guess_rate()
    if rate < GUESSED:
        return []
    lower = lower_bound(rate, count)
    severity = Severity.INFO
    if rate >= OFTEN:
        severity = Severity.MEDIUM if rate >= CUTOFFS[Severity.CRITICAL] and lower >= OFTEN else Severity.LOW
    return [
        Finding(
            rule="guess-rate",
            severity=severity,
            message=f"{distinct} different answers to {count} tasks: always saying {answer[:40]!r} earns {rate:.2f}",
            variant=answer[:40],
            mean=rate,
            most=1.0,
            paid=round(rate * count),
            tried=count,
        )
    ]


def trouble_findings(subject: Subject) -> list[Finding]:
    """Texts that made the checker fail or run to its limit: remarks, where a policy earns nothing by it.

    A checker that fails on more than a tenth of what is said is more: whom it would refuse leaves the group instead.
    """
    judge, found = subject.judge, []
    answers = {sample.answer.text for sample in subject.samples}
    errors = [trouble for trouble in judge.errors if trouble.said.text not in answers]
    if errors:
        often = len(errors) > CUTOFFS[Severity.MEDIUM] * judge.plays  # on what a policy says anyway, so at will
        severity = Severity.MEDIUM if often else Severity.LOW
        message = f"the checker fails on {len({e.said.text for e in errors})} texts instead of judging them"
        found.append(_trouble(subject, "crash", severity, message, errors))
    slow = [trouble for trouble in judge.costs if late(trouble)]
    if slow and not subject.programs:
        where = "where nothing can end it" if subject.definition.inline else "and its worker is killed"
        message = f"the checker runs past {subject.definition.time_limit_s:g} s on {len(slow)} plays, {where}"
        severity = Severity.MEDIUM if judge.slow_on_plain else Severity.LOW
        found.append(_trouble(subject, "cost", severity, message, slow))
    other = [trouble for trouble in judge.costs if trouble not in slow]
    if other and not subject.programs:
        message = f"the checker runs out of memory or stack on {len({t.said.text for t in other})} texts, which earn 0"
        found.append(_trouble(subject, "cost/memory", Severity.LOW, message, other))
    return found


def _trouble(subject: Subject, rule: str, severity: Severity, message: str, troubles: Sequence[Trouble]) -> Finding:
    shortest = min(troubles, key=lambda trouble: len(trouble.said.text))
    return Finding(
        rule=rule,
        severity=severity,
        message=f"{message} ({shortest.reason[:160]})",
        paid=len({trouble.said.task for trouble in troubles}),
        tried=len(subject.samples),
        evidence=evidence(subject, shortest.said),
    )


def _references(subject: Subject, rule: str, message: str, low: Sequence[int]) -> Finding:
    shares = [float(i in set(low)) for i in range(len(subject.right))]
    return Finding(
        rule=rule,
        severity=max(Severity.LOW, severity_of(shares)),
        message=f"{message} on {len(low)} of {len(shares)} tasks",
        mean=sum(shares) / len(shares),
        most=1.0,
        paid=len(low),
        tried=len(shares),
        evidence=evidence(subject, Said(low[0], subject.samples[low[0]].answer.text)),
    )
