"""A completion earns the same alone, in a group, in another order of the group, and beside other tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from rlenv.audit.corrupting import wrong_answer
from rlenv.audit.finding import Finding
from rlenv.audit.judge import Said
from rlenv.audit.severity import Severity, severity_of
from rlenv.audit.subject import Subject
from rlenv.audit.tally import evidence
from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.env.batch import BatchEnvironment

TASKS = 6
GROUP = 4
ORDER = "group/order"
BATCH = "group/batch"


@runtime_checkable
class TogetherVerifier(Protocol):
    """A verifier around a function that judges a whole batch in one call, as TRL calls it."""

    def rewards_together(self, tasks: Sequence[Task], completions: Sequence[Completion]) -> list[float | None]:
        """One reward a completion, of one call."""


def grouping_findings(subject: Subject) -> list[Finding]:
    """Rewards that change with the company that a completion is judged in."""
    if subject.judge.stopped:
        return []
    groups = [_group(subject, task) for task in range(min(TASKS, len(subject.samples)))]
    said = [one for group in groups for one in group]
    together = _batch(subject, groups)
    backwards = _batch(subject, [group[::-1] for group in groups])
    turned = [reward for i in range(len(groups)) for reward in backwards[i * GROUP : (i + 1) * GROUP][::-1]]
    found = _compared(subject, ORDER, "the reward depends on the order of the group", said, together, turned)
    if found or subject.definition.wrappers:
        return found
    alone = subject.judge.rewards(said)
    found = _compared(subject, BATCH, "the reward is another in a batch than alone", said, alone, together)
    verifier = subject.definition.verifier
    if not found and isinstance(verifier, TogetherVerifier):
        tasks = [subject.judge.tasks[one.task] for one in said]
        completions = [subject.judge.completion(one) for one in said]
        try:
            called = [reward or 0.0 for reward in verifier.rewards_together(tasks, completions)]
        except Exception:  # on one of these texts alone it fails as well, and that is a finding of its own
            return found
        found = _compared(subject, BATCH, "the reward is another in one call with others", said, alone, called)
    return found


def _group(subject: Subject, task: int) -> list[Said]:
    answer = subject.samples[task].answer
    wrong = wrong_answer(subject, task)
    return [
        Said(task, answer.text),
        Said(task, answer.framed("x" if wrong is None else wrong)),
        Said(task, ""),
        Said(task, answer.text),
    ]


def _batch(subject: Subject, groups: Sequence[Sequence[Said]]) -> list[float | None]:
    inline = not subject.judge.isolated and not subject.judge.batch
    definition = replace(subject.definition, isolation="inline") if inline else subject.definition
    batch = BatchEnvironment(definition, group_size=GROUP, pool=subject.judge.pool)
    batch.reset(tasks=[subject.judge.tasks[group[0].task] for group in groups])
    said = [subject.judge.completion(one) for group in groups for one in group]
    return [episode.verdict.reward for episode in batch.step(said)]


def _compared(
    subject: Subject,
    rule: str,
    message: str,
    said: Sequence[Said],
    first: Sequence[float | None],
    other: Sequence[float | None],
) -> list[Finding]:
    differing = [i for i, (a, b) in enumerate(zip(first, other, strict=True)) if a != b]
    if not differing:
        return []
    shares = [
        min(1.0, abs(subject.share(one.task, a) - subject.share(one.task, b)))
        for one, a, b in zip(said, first, other, strict=True)
    ]
    worst = max(differing, key=lambda i: shares[i])
    return [
        Finding(
            rule=rule,
            severity=max(Severity.MEDIUM, severity_of(shares)),
            message=f"{message}: {first[worst]} and {other[worst]}, {len(differing)} of {len(said)} texts differ",
            mean=sum(shares) / len(shares),
            most=max(shares),
            paid=len({said[i].task for i in differing}),
            tried=len(groups_of(said)),
            evidence=evidence(subject, said[worst]),
        )
    ]


def groups_of(said: Sequence[Said]) -> set[int]:
    """The tasks of these texts."""
    return {one.task for one in said}
