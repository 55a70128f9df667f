"""Judges, counts and saves the completions of an evaluation as they come: in chunks, or one request at a time.

Both ways give the same to a reader: the number of each completion says whose it is, and the report does not depend on
the order in which they came. Wrappers see whole groups in the order of the tasks, because they may learn; so with
wrappers what comes early waits for the groups before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import RunError, TooManyVerifierErrors
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Policy, Sampling
from rlenv.core.task import Task
from rlenv.env.batch import BatchEnvironment
from rlenv.evaluation.concurrent_requests import Question, concurrent_answers, seed_of
from rlenv.evaluation.report import Report
from rlenv.evaluation.savedrun import SavedRun
from rlenv.judge.wrapping import at_fault
from rlenv.policies.endpoint import EndpointPolicy
from rlenv.policies.ledger import Ledger, counted
from rlenv.turns.play import play
from rlenv.workers.pool import Pool

EARLIEST_STOP = 32
"""Verifier errors stop a run once this many episodes are in, or at its end."""


class SampleRound(NamedTuple):
    """All tasks with so many completions each."""

    start: int
    """The index of its first completion."""
    first: int
    """How many completions each task had before."""
    width: int
    """How many each gets."""


@dataclass(frozen=True)
class SampleIds:
    """The completions of an evaluation by number: task by task; what n has grown by comes behind all that was there.

    >>> ids = SampleIds(tasks=3, widths=(4, 2))  # n was 4, and is 6
    >>> ids.total, ids.place(11), ids.place(14), list(ids.missing(set(range(14))))
    (18, 2, 1, [[14, 15], [16, 17]])
    """

    tasks: int
    widths: tuple[int, ...]
    """How many completions a task got at first, and each time that n grew."""

    @property
    def n(self) -> int:
        """Completions of one task."""
        return sum(self.widths)

    @property
    def total(self) -> int:
        return self.tasks * self.n

    def rounds(self) -> list[SampleRound]:
        firsts = accumulate(self.widths, initial=0)
        return [
            SampleRound(self.tasks * first, first, width) for first, width in zip(firsts, self.widths, strict=False)
        ]

    def place(self, index: int) -> int:
        """The task that this completion belongs to."""
        start, _, width = next(one for one in reversed(self.rounds()) if index >= one.start)
        return (index - start) // width

    def missing(self, done: set[int]) -> Iterator[list[int]]:
        """The indices that are not done, those of one task and round together."""
        for start, _, width in self.rounds():
            for first in range(start, start + self.tasks * width, width):
                if indices := [index for index in range(first, first + width) if index not in done]:
                    yield indices


def grown(saved: Mapping[str, Json] | None, n: int, tasks: int, *, learning: bool) -> SampleIds:
    """The completions of a run of `n` a task, begun as its saved settings say.

    `learning` says that wrappers look at whole groups. Raises RunError where n is smaller than it was, or has grown
    under such wrappers.
    """
    if saved is None:
        return SampleIds(tasks, (n,))
    before, widths = saved["n"], saved.get("grown", [saved["n"]])
    if not isinstance(before, int) or not isinstance(widths, list) or sum(widths) != before:
        raise RunError(f"expected whole numbers n and grown in config.json, got {before!r} and {widths!r}; put it back")
    if n < before:
        raise RunError(f"n was {before}, is {n}: it may only grow; for k up to {n} of all {before} see `rlenv report`")
    if n > before and learning:
        raise RunError(f"n was {before}, is {n}: wrappers have judged whole groups of {before}; give another folder")
    return SampleIds(tasks, (*widths, n - before) if n > before else tuple(widths))


@dataclass(frozen=True, slots=True)
class Sample:
    """One completion of an evaluation."""

    index: int
    completion: Completion
    seed: int
    """Of the request that gave it."""


class EvaluationRun:
    """An evaluation under way: what of it is judged, and counted in its report."""

    def __init__(
        self,
        definition: Definition,
        tasks: Sequence[Task],
        ids: SampleIds,
        report: Report,
        *,
        saved: SavedRun | None,
        seed: int,
        pool: Pool | None,
        max_error_share: float,
        ledger: Ledger | None = None,
    ) -> None:
        self.definition, self.tasks, self.ids, self.report, self.seed = definition, tasks, ids, report, seed
        self.ledger = ledger or Ledger()
        self.judged: set[int] = set()
        """The indices of what is judged."""
        self._saved, self._max_error_share = saved, max_error_share
        self._learning = bool(definition.wrappers)
        self._batch = BatchEnvironment(definition, group_size=ids.n if self._learning else 1, pool=pool)
        self._early: dict[int, Sample] = {}

    @property
    def done(self) -> int:
        return len(self.judged)

    def resume(self, sizes: Iterator[int]) -> None:
        """Count what is saved; `sizes` are those of the appends, in order."""
        if self._saved is None:
            return
        self._saved.keep_whole(sizes)
        for episode in self._saved.episodes():
            if episode.index not in self.judged:
                self.judged.add(episode.index)
                self.report.add([episode])
        self.report.there = self.done
        state = self._saved.last_state()
        if state is not None:
            self._batch.load_state_dict(state)

    def take(self, samples: Sequence[Sample]) -> int:
        """Judge, save and count what came in any order; returns how many, of those that waited too, are done."""
        if not self._learning:
            return self.judge(samples)
        self._early |= {sample.index: sample for sample in samples}
        before, n = self.done, self.ids.n
        while all(index in self._early for index in range(self.done, self.done + n)):
            self.judge([self._early.pop(index) for index in range(self.done, self.done + n)])
        return self.done - before

    def judge(self, samples: Sequence[Sample]) -> int:
        """The same for whole groups that are next."""
        places = [self.ids.place(sample.index) for sample in samples]
        self._batch.reset(tasks=[self.tasks[place] for place in places[:: self._batch.group_size]])
        judged = self._batch.step([sample.completion for sample in samples])
        episodes: list[Episode] = [
            replace(episode, group=place, index=sample.index, seed=sample.seed)
            for episode, place, sample in zip(judged, places, samples, strict=True)
        ]
        if self._saved is not None:
            self._saved.append(episodes, self._batch.state_dict() if self._learning else None)
            self.ledger.save()
        self.judged |= {sample.index for sample in samples}
        self.report.add(episodes)
        if self.report.episodes >= EARLIEST_STOP:
            self.check_errors()
        return len(samples)

    def check_errors(self) -> None:
        """Raise TooManyVerifierErrors when the checker failed on more than the share of episodes allowed."""
        report = self.report
        if report.verifier_errors > self._max_error_share * report.episodes:
            reason, count = report.reasons.most_common(1)[0]
            who = at_fault(report.reasons)
            again = "judge the saved episodes again with `rlenv rescore` or " if who == "verifier" else ""
            raise TooManyVerifierErrors(
                f"the {who} failed on {report.verifier_errors} of {report.episodes} episodes, more than the share of "
                f"{self._max_error_share:g} that max_error_share allows; most often ({count}): {reason}; "
                f"fix the {who}, then {again}start again"
            )


def in_chunks(run: EvaluationRun, policy: Policy, sampling: Sampling, chunk: int) -> Iterator[int]:
    """Ask for the completions of `chunk` tasks after the other; gives how many are done each time."""
    tasks = run.tasks
    chunks = [
        (one, place, tasks[place : place + chunk]) for one in run.ids.rounds() for place in range(0, len(tasks), chunk)
    ]
    run.resume(len(of) * one.width for one, _, of in chunks)
    yield run.done
    for one, place, of in chunks:
        start = one.start + place * one.width
        if start in run.judged:
            continue
        run.ledger.check()
        seed = seed_of(run.seed, place, *([one.first] if one.first else []))
        completions = play(run.definition, policy, of, one.width, replace(sampling, seed=seed))
        if not isinstance(policy, EndpointPolicy):
            counted(policy.name, said_tokens=sum(completion.said_tokens for completion in completions), cost=0.0)
        yield run.judge([Sample(start + i, completion, seed) for i, completion in enumerate(completions)])


def by_requests(run: EvaluationRun, policy: EndpointPolicy, sampling: Sampling) -> Iterator[int]:
    """Keep a server busy with what is missing; gives how many are done each time.

    Raises PolicyError when the server fails for good, and LimitReached where no more may be spent, after what had come
    by then is saved.
    """
    definition, ids = run.definition, run.ids
    group = ids.n if definition.wrappers else 1
    run.resume(iter([group] * (ids.total // group)))
    yield run.done
    questions = [
        Question(run.tasks[ids.place(indices[0])], together)
        for indices in ids.missing(run.judged)
        for together in ([indices] if definition.interaction is None else [[index] for index in indices])
    ]
    sampling = replace(sampling, seed=run.seed)
    with closing(concurrent_answers(definition, policy, sampling, questions, run.ledger)) as answers:
        for answered in answers:
            samples = (
                Sample(index, completion, seed_of(run.seed, question.indices[0]))
                for question in answered
                for index, completion in zip(question.indices, question.completions, strict=True)
            )
            yield run.take(list(samples))
