"""The episodes of a saved run, problem by problem, whatever the order in which they came."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rlenv.core.episode import Episode
from rlenv.core.task import Task


@dataclass
class Group:
    """The judged completions of one problem; those at which the verifier failed are left out."""

    task: Task
    judged: list[Episode] = field(default_factory=list)
    passed: list[bool] = field(default_factory=list)

    @property
    def count(self) -> tuple[int, int]:
        """(judged, passed), as `rlenv.evaluation.passk` takes it."""
        return len(self.judged), sum(self.passed)


def grouped(episodes: Iterable[Episode], threshold: float) -> list[Group]:
    """Problems in the order of the run; a completion passes when its reward is at least the threshold."""
    found: dict[tuple[int, int, str], Group] = {}
    for episode in sorted(episodes, key=lambda e: (e.step, e.group, e.index)):
        group = found.setdefault((episode.step, episode.group, episode.task.id), Group(episode.task))
        if episode.verdict.reward is not None:
            group.judged.append(episode)
            group.passed.append(episode.verdict.reward >= threshold)
    return list(found.values())


def rewards(groups: Sequence[Group]) -> list[float]:
    """Of every judged completion."""
    return [e.verdict.reward for group in groups for e in group.judged if e.verdict.reward is not None]
