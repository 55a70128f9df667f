"""What everything that was played earned, paid or not: the record that a certificate holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rlenv.audit.finding import MAX_TEXT_CHARS
from rlenv.audit.subject import Subject
from rlenv.audit.tally import PAID, Play, outcomes
from rlenv.core.jsontypes import Json


class Played(NamedTuple):
    """What the texts of one rule earned, as shares of what a right answer earns."""

    rule: str
    texts: int
    """How many ways it was tried in."""
    tasks: int
    """On how many tasks."""
    mean: float
    """Of the way that earned most: the mean over its tasks. A right guess counts as nothing."""
    most: float
    """On one task."""
    worst: str
    """Which way that was."""

    def to_json(self) -> dict[str, Json]:
        return {
            "rule": self.rule,
            "texts": self.texts,
            "tasks": self.tasks,
            "mean_share": round(self.mean, 6),
            "most_share": round(self.most, 6),
            "worst": self.worst[:MAX_TEXT_CHARS],
            "paid": self.most >= PAID,
        }


def played(subject: Subject, plays: Sequence[Play]) -> tuple[Played, ...]:
    """One entry a rule; everything was judged before, so this judges nothing again."""
    found = []
    for rule, ways in outcomes(subject, plays).items():
        worst = max(ways, key=lambda way: way.mean)
        tasks = {play.said.task for way in ways for play in way.plays}
        most = max(max(way.shares) for way in ways)
        found.append(Played(rule, len(ways), len(tasks), worst.mean, most, worst.variant))
    return tuple(sorted(found, key=lambda one: (-one.mean, one.rule)))
