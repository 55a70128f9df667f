"""Where another verifier of the same tasks pays otherwise, on what an audit plays, and which of the two is right."""

from __future__ import annotations

from dataclasses import replace

from rlenv.audit.attacking import attack_plays, attackers
from rlenv.audit.corrupting import corruption_plays
from rlenv.audit.judge import UNJUDGED, CountingJudge, Said
from rlenv.audit.subject import Subject
from rlenv.core.definition import Definition
from rlenv.evaluation.second_opinion import Disagreement, Opinion, disagreement

ATTACKS_ON = 2
"""On so many tasks the other verifier judges the attacks too; on the others right answers and corrupted ones."""
MAX_CHARS = 2_000
"""Longer texts take long to check, which is no question of who is right."""


def disagreements(subject: Subject, against: Definition) -> list[Disagreement]:
    """One a text, in the order of the tasks; none where neither verifier can prove anything."""
    other = CountingJudge(against, subject.judge.tasks, subject.judge.pool)
    said = [one for one in _asked(subject) if len(one.text) <= MAX_CHARS]
    found = []
    for one, first, second in zip(said, subject.judge.verdicts(said), other.verdicts(said), strict=True):
        if UNJUDGED in (first, second):
            continue
        opinions = Opinion(subject.definition.verifier, first), Opinion(against.verifier, second)
        between = disagreement(subject.judge.tasks[one.task], subject.judge.completion(one), *opinions)
        found += [] if between is None else [between]
    return found


def _asked(subject: Subject) -> list[Said]:
    right = [Said(task, sample.answer.text) for task, sample in enumerate(subject.samples)]
    attacks = [replace(attack, tasks=ATTACKS_ON) for attack in attackers(subject) if attack.tasks is None]
    plays = [*corruption_plays(subject), *attack_plays(subject, attacks)]
    return sorted(dict.fromkeys([*right, *(play.said for play in plays)]), key=lambda one: one.task)
