"""The control: what right answers earn, what blind guessing earns, and when the checker failed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rlenv.audit.judge import Said
from rlenv.audit.playing import PAID, evidence, of_shares
from rlenv.audit.severity import CUTOFFS, SLACK, severity_of
from rlenv.audit.subject import Subject
from rlenv.evaluation.passk import lower_bound
from rlenv.evidence.exploits.finding import Finding, Severity
from rlenv.evidence.player import Trouble

GUESSED = 0.1
"""A guess rate from which on it is reported."""
ENOUGH_TASKS = 8
OFTEN = 0.75
"""A guess rate from which on it is more than a property: most of the reward is had by one constant."""
NONSENSE = {"nothing": "", "a letter": "x", "an excuse": "I do not know."}
"""Not the prompt again, which names moves: one of them may be right."""


def reference_findings(subject: Subject) -> list[Finding]:
    """Right answers that the checker fails on, or pays less than it pays others."""
    right, found = [verdict.reward for verdict in subject.right], []
    full = max((reward for reward in right if reward is not None), default=0.0)
    failed = [reward is None for reward in right]
    low = [reward is not None and (reward < full or full <= subject.floor) for reward in right]
    for rule, told, hit in (
        ("reference/error", "the checker fails on the right answer", failed),
        ("reference/refused", "the right answer does not earn the full reward", low),
    ):
        if any(hit):
            shares, first = [*map(float, hit)], hit.index(True)
            seen = evidence(subject, Said(first, subject.samples[first].answer.text))
            message = f"{told} on {sum(hit)} of {len(hit)} tasks"
            found.append(of_shares(rule, max(Severity.LOW, severity_of(shares)), message, shares, seen))
    return found


def guess_findings(subject: Subject) -> list[Finding]:
    """The guess rate of sets with few different answers: a property, but where one answer is nearly always right."""
    count = len(subject.samples)
    if count < ENOUGH_TASKS or subject.programs:
        return []
    rate, answer, distinct = subject.guess_rate()
    if rate < GUESSED:
        return []
    severity = Severity.INFO
    if rate >= OFTEN:
        often = rate >= CUTOFFS[Severity.CRITICAL] and lower_bound(rate, count) >= OFTEN
        severity = Severity.MEDIUM if often else Severity.LOW
    message = f"{distinct} different answers to {count} tasks: always saying {answer[:40]!r} earns {rate:.2f}"
    hits = round(rate * count)
    return [of_shares("guess-rate", severity, message, [1.0] * hits + [0.0] * (count - hits), variant=answer[:40])]


def last_turn_findings(subject: Subject) -> list[Finding]:
    """The nonsense that earns most of what the right last turn earned, behind the right turns before it.

    What those turns have earned themselves is not counted.
    """
    shares: dict[str, list[tuple[int, float]]] = {}
    for task, right in enumerate(subject.right if subject.paid_as_a_whole else ()):
        before = math.fsum([step.value for step in right.step_rewards[:-1]])
        earned = (right.reward or 0.0) - before
        if len(subject.judge.script(task)) < 2 or earned <= SLACK:
            continue
        for name, text in NONSENSE.items():
            reward = subject.judge.verdict(task, text).reward
            share = 0.0 if reward is None else min(1.0, max(0.0, (reward - before) / earned))
            shares.setdefault(name, []).append((task, share))
    paid = {name: found for name, found in shares.items() if max(share for _, share in found) >= PAID}
    if not paid:
        return []
    worst = max(paid, key=lambda name: sum(share for _, share in paid[name]))
    values, place = [share for _, share in paid[worst]], max(paid[worst], key=lambda one: one[1])[0]
    message = f"pays for nonsense in the last turn, behind right ones: {worst}"
    seen = evidence(subject, Said(place, NONSENSE[worst]))
    return [of_shares("attack/last-turn", severity_of(values), message, values, seen, worst)]


def trouble_findings(subject: Subject) -> list[Finding]:
    """Texts that made the checker fail or run to its limit: remarks, where a policy earns nothing by it.

    Where wrong answers earn less than nothing it earns by it: a completion that is not judged leaves its group, and
    with it the penalty.
    """
    judge, answers = subject.judge, {sample.answer.text for sample in subject.samples}
    costs = [] if subject.programs else judge.costs
    errors = [trouble for trouble in judge.errors if trouble.said.text not in answers]
    slow, other = [one for one in costs if one.late], [one for one in costs if not one.late]
    where = "where nothing can end it" if subject.definition.inline else "and its worker is killed"
    limit = f"the checker runs past {subject.definition.time_limit_s:g} s on {len(slow)} plays, {where}"
    fails = f"the checker fails on {_texts(errors)} texts instead of judging them"
    memory = f"the checker runs out of memory or stack on {_texts(other)} texts, which earn 0"
    rows = (
        ("crash", errors, Severity.MEDIUM if judge.penalises else Severity.LOW, fails),
        ("cost", slow, Severity.MEDIUM if judge.slow_on_plain else Severity.LOW, limit),
        ("cost/memory", other, Severity.LOW, memory),
    )
    return [_trouble(subject, *row) for row in rows if row[1]]


def _texts(troubles: Sequence[Trouble[Said]]) -> int:
    return len({trouble.said.text for trouble in troubles})


def _trouble(
    subject: Subject, rule: str, troubles: Sequence[Trouble[Said]], severity: Severity, message: str
) -> Finding:
    shortest = min(troubles, key=lambda trouble: len(trouble.said.text))
    hit = {trouble.said.task for trouble in troubles}
    shares = [float(task in hit) for task in range(len(subject.samples))]
    told = f"{message} ({shortest.reason[:160]})"
    return replace(of_shares(rule, severity, told, shares, evidence(subject, shortest.said)), mean=0.0, most=0.0)
