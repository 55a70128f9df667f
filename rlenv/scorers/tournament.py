"""Groups of completions compared pair by pair: the share each wins, and which is better than which.

>>> from rlenv import Completion, Task
>>> class Longer:
...     def compare(self, jobs):
...         return [Comparison("first" if len(j.first.text) > len(j.second.text) else "second") for j in jobs]
>>> standing = play(Longer(), [(Task("?"), [Completion("a"), Completion("abc"), Completion("ab")])])[0]
>>> standing.shares, standing.wins
((0.0, 1.0, 0.5), ((1, 0), (2, 0), (1, 2)))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, Protocol, TypeAlias, get_args

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.scorers.pairwise import Comparison, PairJob

Draw: TypeAlias = Literal["all", "neighbours"]
"""Who meets whom: every two, or each only the next one and the last the first (n comparisons instead of n(n-1)/2)."""


class Comparing(Protocol):
    """A PairJudge, or anything that compares as one."""

    def compare(self, jobs: Sequence[PairJob]) -> list[Comparison]: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """What the comparisons within one group came to."""

    shares: tuple[float | None, ...]
    """The share of its points that each completion won, in [0, 1]; None where fewer than half of its comparisons were
    judged, so that nobody is placed by luck."""
    wins: tuple[tuple[int, int], ...]
    """Places (better, worse), in the order of the comparisons."""
    ties: int
    inconsistent: int
    """Ties that come from two orders which contradict each other."""
    failed: int
    problem: str = ""
    """Why the first of those that failed did."""


def play(judge: Comparing, groups: Sequence[tuple[Task, Sequence[Completion]]], draw: Draw = "all") -> list[Standing]:
    """One standing a group, in order; all comparisons of all groups are asked for at once."""
    if draw not in get_args(Draw):
        raise ConfigError(f"expected a draw of {', '.join(get_args(Draw))}, got {draw!r}")
    meetings = [list(_meetings(len(completions), draw)) for _, completions in groups]
    jobs = [
        PairJob(task, completions[one], completions[other])
        for (task, completions), met in zip(groups, meetings, strict=True)
        for one, other in met
    ]
    said = iter(judge.compare(jobs))
    return [
        _standing(len(completions), [(meeting, next(said)) for meeting in met])
        for (_, completions), met in zip(groups, meetings, strict=True)
    ]


def _meetings(count: int, draw: Draw) -> Iterable[tuple[int, int]]:
    if draw == "all" or count < 3:
        return combinations(range(count), 2)
    return ((one, (one + 1) % count) for one in range(count))


def _standing(count: int, played: Sequence[tuple[tuple[int, int], Comparison]]) -> Standing:
    judged = [(meeting, comparison) for meeting, comparison in played if comparison.points is not None]
    decided = [(meeting, comparison.winner) for meeting, comparison in judged if comparison.winner != "tie"]
    return Standing(
        shares=tuple(_share(place, played) for place in range(count)),
        wins=tuple((one, other) if winner == "first" else (other, one) for (one, other), winner in decided),
        ties=len(judged) - len(decided),
        inconsistent=sum(not comparison.consistent for _, comparison in judged),
        failed=len(played) - len(judged),
        problem=next((comparison.reason for _, comparison in played if comparison.winner is None), ""),
    )


def _share(place: int, played: Sequence[tuple[tuple[int, int], Comparison]]) -> float | None:
    own = [(meeting.index(place), comparison.points) for meeting, comparison in played if place in meeting]
    points = [both[side] for side, both in own if both is not None]
    return sum(points) / len(points) if points and 2 * len(points) >= len(own) else None
