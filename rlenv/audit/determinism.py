"""The same text on the same task earns the same: again, in another order, in another process, whatever is random."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from rlenv.audit.corrupting import wrong_answer
from rlenv.audit.finding import Finding
from rlenv.audit.judge import Said
from rlenv.audit.severity import Severity, severity_of
from rlenv.audit.subject import Subject
from rlenv.audit.tally import evidence

TASKS = 8
RUNS = {
    "determinism/again": "the same text earns another reward when it is judged again",
    "determinism/order": "the reward depends on what was judged before",
    "determinism/process": "the reward depends on the process that judges",
}


def determinism_findings(subject: Subject) -> list[Finding]:
    """The first kind of change that changes a reward; the others mostly follow from it."""
    if subject.judge.stopped:
        return []
    said = _said(subject)
    first = _rewards(subject, said, seed=1)
    for rule, message in RUNS.items():
        if rule == "determinism/order":
            other = _rewards(subject, said[::-1], seed=1)[::-1]
        elif rule == "determinism/process":
            if not subject.judge.isolated:
                break
            other = [v.reward for v in subject.judge.afresh(said, subject.judge.grader())]
        else:
            other = _rewards(subject, said, seed=2)
        differing = [i for i, (a, b) in enumerate(zip(first, other, strict=True)) if a != b]
        if differing:
            return [_finding(subject, rule, message, said, first, other, differing)]
    return []


def _said(subject: Subject) -> list[Said]:
    """Right, wrong, empty and long texts on a few tasks."""
    found = []
    for task, sample in enumerate(subject.samples[:TASKS]):
        wrong = wrong_answer(subject, task)
        texts = [sample.answer.text, "", "x", "Let me think. " * 50, sample.prompt]
        texts += [sample.answer.framed(wrong)] if wrong is not None else []
        found += [Said(task, text) for text in dict.fromkeys(texts)]
    return found


def _rewards(subject: Subject, said: Sequence[Said], seed: int) -> list[float | None]:
    with _random_state(seed):
        return [v.reward for v in subject.judge.afresh(said, subject.judge.grader(inline=True))]


def _finding(
    subject: Subject,
    rule: str,
    message: str,
    said: Sequence[Said],
    first: Sequence[float | None],
    other: Sequence[float | None],
    differing: Sequence[int],
) -> Finding:
    shares = [
        min(1.0, abs(subject.share(one.task, a) - subject.share(one.task, b)))
        for one, a, b in zip(said, first, other, strict=True)
    ]
    worst = max(differing, key=lambda i: shares[i])
    return Finding(
        rule=rule,
        severity=max(Severity.MEDIUM, severity_of(shares)),
        message=f"{message}: {first[worst]} and {other[worst]}, {len(differing)} of {len(said)} texts differ",
        mean=sum(shares) / len(shares),
        most=max(shares),
        paid=len({said[i].task for i in differing}),
        tried=len({one.task for one in said}),
        evidence=evidence(subject, said[worst]),
    )


@contextmanager
def _random_state(seed: int) -> Iterator[None]:
    """Another global random state for as long as it takes; what it was before is put back."""
    before, before_numpy = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(before_numpy)
