"""Where verdicts are made: inline for cheap verifiers, in killable workers for the others.

A verifier with tiers is asked inline what it can decide cheaply; only the rest goes to the workers. A batch
verifier isolates by itself: it is asked inline for all of it at once, whatever isolation the definition asks for, or
where it says that it works anywhere, on the machines of the pool.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import BatchVerifier, has_cheap_tiers, judge, judge_cheaply, over_limit
from rlenv.door.deadline import OVERDUE, overdue, until
from rlenv.workers.pending_jobs import Job
from rlenv.workers.pool import FarPool, OnVerdict, PickledVerifier, Pool, anywhere, shared_pool


class Grader:
    """Judges completions with the verifier of one definition. Never raises for what a completion holds."""

    def __init__(self, definition: Definition, pool: Pool | None = None) -> None:
        self._verifier = definition.verifier
        self._batch = definition.verifier if isinstance(definition.verifier, BatchVerifier) else None
        self._inline = definition.inline and self._batch is None
        self._tiered = definition.isolation == "auto" and has_cheap_tiers(definition.verifier)
        self._time_limit_s = definition.time_limit_s
        self._max_chars = definition.max_completion_chars
        self._pool = pool
        self._pickled: PickledVerifier | None = None
        self._sees_turns = getattr(definition.verifier, "sees_turns", False)

    def judge(self, task: Task, completion: Completion) -> Verdict:
        """The verdict of one completion."""
        if completion.failure:
            return Verdict.error(completion.failure)
        if completion.turns and not self._sees_turns:
            said, start = completion.last_turn()
            return self.judge(task, said).shifted(start)
        verdict = self._decided_here(task, completion)
        return self._decided_apart([(task, completion)], None)[0] if verdict is None else verdict

    def judge_all(self, jobs: Sequence[Job], on_verdict: OnVerdict | None = None) -> list[Verdict]:
        """One verdict a job, in order."""
        verdicts: dict[int, Verdict] = {}
        starts: dict[int, int] = {}
        if any(completion.turns for _, completion in jobs) and not self._sees_turns:
            last = [completion.last_turn() for _, completion in jobs]
            starts = {i: start for i, (_, start) in enumerate(last) if start}
            jobs = [(task, said) for (task, _), (said, _) in zip(jobs, last, strict=True)]

        def answer(index: int, verdict: Verdict) -> None:
            if starts:
                verdict = verdict.shifted(starts.get(index, 0))
            verdicts[index] = verdict
            if on_verdict is not None:
                on_verdict(index, verdict)

        undecided, has_end = [], until() < math.inf
        for index, (task, completion) in enumerate(jobs):
            late = has_end and overdue()
            verdict = Verdict.error(OVERDUE) if late else self._decided_here(task, completion)
            if verdict is None:
                undecided.append(index)
            else:
                answer(index, verdict)
        if undecided:
            self._decided_apart([jobs[i] for i in undecided], lambda i, verdict: answer(undecided[i], verdict))
        return [verdicts[index] for index in range(len(jobs))]

    def _decided_here(self, task: Task, completion: Completion) -> Verdict | None:
        """The verdict where it needs no worker."""
        if completion.failure:
            return Verdict.error(completion.failure)
        if len(completion.text) > self._max_chars:
            return over_limit(f"{self._max_chars} characters")
        if self._inline:
            return judge(self._verifier, task, completion)
        return judge_cheaply(self._verifier, task, completion) if self._tiered else None

    def _decided_apart(self, jobs: Sequence[Job], on_verdict: OnVerdict | None) -> list[Verdict]:
        pool = self._pool or shared_pool()
        if self._batch is not None and not (anywhere(self._batch) and isinstance(pool, FarPool)):
            return in_batch(self._batch, jobs, on_verdict)
        if self._pickled is None:
            self._pickled = PickledVerifier.of(self._verifier)
        return pool.judge_all(self._pickled, jobs, self._time_limit_s, on_verdict)


def in_batch(verifier: BatchVerifier, jobs: Sequence[Job], on_verdict: OnVerdict | None = None) -> list[Verdict]:
    """One verdict a job, whatever the verifier does."""
    verdicts: dict[int, Verdict] = {}
    for index, verdict in _known_by_batch(verifier, jobs):
        if index in range(len(jobs)) and index not in verdicts:
            verdicts[index] = verdict
            if on_verdict is not None:
                on_verdict(index, verdict)
    return [verdicts[index] for index in range(len(jobs))]


def _known_by_batch(verifier: BatchVerifier, jobs: Sequence[Job]) -> Iterator[tuple[int, Verdict]]:
    """What the verifier says, and an error for every job: the last word on those that it left out."""
    problem = "the verifier gave no verdict"
    try:
        for known in verifier.verify_all(jobs):
            yield known
            if overdue():
                problem = OVERDUE
                break
    except Exception as error:  # as for any verifier: what it raises may not stop a run
        problem = f"{type(error).__name__}: {error}"
    for index in range(len(jobs)):
        yield index, Verdict.error(problem)
