"""Jobs that a model can read, apart from those that it cannot: a failure of one is not a failure of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from rlenv.core.completion import Completion
from rlenv.core.errors import ScorerError
from rlenv.core.verdict import OVER_LIMIT, Flag
from rlenv.scorers.scorer import Job, Stepped

JobT = TypeVar("JobT", Job, Stepped)
RowT = TypeVar("RowT")
ResultT = TypeVar("ResultT")
Failure: TypeAlias = Callable[[str, tuple[Flag, ...]], ResultT]


class Problem(NamedTuple):
    """Why a job was not read; flagged where its completion is to blame."""

    reason: str
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True)
class Rows(Generic[RowT]):
    """What was read of the jobs, and why the others were not."""

    found: list[RowT]
    problems: list[Problem | None]
    """One a job: None where it was read."""

    def with_failures(self, results: Iterable[ResultT], failure: Failure[ResultT]) -> list[ResultT]:
        """One result a job, in order, from the results of those that were read."""
        waiting = iter(results)
        return [next(waiting) if problem is None else failure(*problem) for problem in self.problems]


def readable(jobs: Sequence[JobT], read: Callable[[JobT], RowT]) -> Rows[RowT]:
    """Read every job; a ScorerError is why one is left out."""
    rows: list[RowT] = []
    problems: list[Problem | None] = []
    for job in jobs:
        try:
            rows.append(read(job))
            problems.append(None)
        except ScorerError as error:
            problems.append(_problem(job, read, str(error)))
    return Rows(rows, problems)


def _problem(job: JobT, read: Callable[[JobT], RowT], reason: str) -> Problem:
    """Where a completion of one letter can be read to the same prompt, this one is the cause."""
    try:
        read(_short(job))
    except ScorerError:
        return Problem(reason)
    return Problem(reason, (Flag(OVER_LIMIT, 0, len(job[1].text), reason),))


def _short(job: JobT) -> JobT:
    if isinstance(job, Stepped):
        return Stepped(job.task, Completion("x"), ((0, 1),))
    return (job[0], Completion("x"))
