"""Jobs that a model can read, apart from those that it cannot: a failure of one is not a failure of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from rlenv.errors import ScorerError

JobT = TypeVar("JobT")
RowT = TypeVar("RowT")
ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Rows(Generic[RowT]):
    """What was read of the jobs, and why the others were not."""

    found: list[RowT]
    reasons: list[str]
    """One a job: empty where it was read."""

    def with_failures(self, results: Iterable[ResultT], failure: Callable[[str], ResultT]) -> list[ResultT]:
        """One result a job, in order, from the results of those that were read."""
        waiting = iter(results)
        return [failure(reason) if reason else next(waiting) for reason in self.reasons]


def readable(jobs: Sequence[JobT], read: Callable[[JobT], RowT]) -> Rows[RowT]:
    """Read every job; a ScorerError is why one is left out."""
    rows: list[RowT] = []
    reasons: list[str] = []
    for job in jobs:
        try:
            rows.append(read(job))
            reasons.append("")
        except ScorerError as error:
            reasons.append(str(error))
    return Rows(rows, reasons)
