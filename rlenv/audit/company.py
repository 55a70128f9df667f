"""The same text on the same task earns the same: again, in another order, process, group or call."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from rlenv.audit.judge import Said
from rlenv.audit.playing import evidence, of_shares
from rlenv.audit.severity import severity_of
from rlenv.audit.subject import Subject
from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.env.batch import BatchEnvironment
from rlenv.evidence.exploits.finding import Finding, Severity

Rewards: TypeAlias = "Sequence[float | None]"
Looks: TypeAlias = "Mapping[str, Callable[[], Rewards]]"
"""By rule, what gives the rewards of the same texts in the same order."""
TASKS, TASKS_OF_GROUPS = 8, 6
GROUP = 4
SHOWN = {
    "determinism/again": "the same text earns another reward when it is judged again",
    "determinism/order": "the reward depends on what was judged before",
    "determinism/process": "the reward depends on the process that judges",
    "group/order": "the reward depends on the order of the group",
    "group/batch": "the reward is another in a batch, or in one call with others, than alone",
}


@runtime_checkable
class TogetherVerifier(Protocol):
    """A verifier around a function that judges a whole batch in one call, as TRL calls it."""

    def rewards_together(self, tasks: Sequence[Task], completions: Sequence[Completion]) -> list[float | None]:
        """One reward a completion, of one call."""


def determinism_findings(subject: Subject) -> list[Finding]:
    """The first kind of change that changes a reward; the others mostly follow from it."""
    said, judge = _said(subject), subject.judge
    looks: dict[str, Callable[[], Rewards]] = {
        "determinism/again": lambda: _rewards(subject, said, seed=2),
        "determinism/order": lambda: _rewards(subject, said[::-1], seed=1)[::-1],
    }
    if judge.isolated:
        looks["determinism/process"] = lambda: [v.reward for v in judge.afresh(said, judge.grader())]
    return [] if judge.stopped else _compared(subject, said, _rewards(subject, said, seed=1), looks)


def grouping_findings(subject: Subject) -> list[Finding]:
    """Rewards that change with the company that a completion is judged in."""
    judge, verifier = subject.judge, subject.definition.verifier
    if judge.stopped:
        return []
    groups = [_group(subject, task) for task in range(min(TASKS_OF_GROUPS, len(subject.samples)))]
    said = [one for group in groups for one in group]

    def backwards() -> Rewards:
        turned = _batch(subject, [group[::-1] for group in groups])
        return [reward for i in range(len(groups)) for reward in turned[i * GROUP : (i + 1) * GROUP][::-1]]

    together = _batch(subject, groups)
    found = _compared(subject, said, together, {"group/order": backwards})
    if found or subject.definition.wrappers:
        return found
    alone, company = judge.rewards(said), [together]
    if isinstance(verifier, TogetherVerifier):
        completions = [judge.completion(one) for one in said]
        with suppress(Exception):  # on one of these texts alone it fails as well, and that is a finding of its own
            called = verifier.rewards_together([judge.tasks[one.task] for one in said], completions)
            company.append([reward or 0.0 for reward in called])
    each = (_compared(subject, said, alone, {"group/batch": partial(list, one)}) for one in company)
    return next(filter(None, each), [])


def _said(subject: Subject) -> list[Said]:
    """Right, wrong, empty and long texts on a few tasks."""
    found = []
    for task, sample in enumerate(subject.samples[:TASKS]):
        wrong = subject.wrong(task)
        texts = [sample.answer.text, "", "x", "Let me think. " * 50, sample.prompt]
        texts += [sample.answer.framed(wrong)] if wrong is not None else []
        found += [Said(task, text) for text in dict.fromkeys(texts)]
    return found


def _group(subject: Subject, task: int) -> list[Said]:
    answer, wrong = subject.samples[task].answer, subject.wrong(task)
    texts = (answer.text, answer.framed("x" if wrong is None else wrong), "", answer.text)
    return [Said(task, text) for text in texts]


def _rewards(subject: Subject, said: Sequence[Said], seed: int) -> list[float | None]:
    with _random_state(seed):
        return [v.reward for v in subject.judge.afresh(said, subject.judge.grader(inline=True))]


def _batch(subject: Subject, groups: Sequence[Sequence[Said]]) -> list[float | None]:
    inline = not subject.judge.isolated and not subject.judge.batch
    definition = replace(subject.definition, isolation="inline") if inline else subject.definition
    batch = BatchEnvironment(definition, group_size=GROUP, pool=subject.judge.pool)
    batch.reset(tasks=[subject.judge.tasks[group[0].task] for group in groups])
    said = [subject.judge.completion(one) for group in groups for one in group]
    return [episode.verdict.reward for episode in batch.step(said)]


def _compared(subject: Subject, said: Sequence[Said], first: Rewards, looks: Looks) -> list[Finding]:
    """The first finding where two rewards of one text differ: medium at least, by how far they are apart."""
    for rule, look in looks.items():
        both = list(zip(said, first, look(), strict=True))
        differing = [i for i, (_, a, b) in enumerate(both) if a != b]
        if differing:
            shares = [min(1.0, abs(subject.share(one.task, a) - subject.share(one.task, b))) for one, a, b in both]
            worst, a, b = both[max(differing, key=lambda i: shares[i])]
            told = f"{SHOWN[rule]}: {a} and {b}, {len(differing)} of {len(said)} texts differ"
            found = of_shares(rule, max(Severity.MEDIUM, severity_of(shares)), told, shares, evidence(subject, worst))
            hit, tried = {said[i].task for i in differing}, {one.task for one in said}
            return [replace(found, paid=len(hit), tried=len(tried))]
    return []


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
