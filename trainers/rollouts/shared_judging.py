"""Verdicts of one batch, each process judging its share; wrappers then see every group everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.env.batch import BatchEnvironment, VerdictJournal
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.rollouts.journal import Journal
from rlenv.workers.pool import Pool


class _Given:
    """Verdicts that are known already; the environment asks for no other."""

    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        self.verdicts = dict(enumerate(verdicts))

    def known(self, completions: Sequence[Completion]) -> Mapping[int, Verdict]:
        return self.verdicts

    def record(self, index: int, completion: Completion, verdict: Verdict) -> None:
        pass


def judged_together(
    env: BatchEnvironment, completions: Sequence[Completion], journal: VerdictJournal | None, processes: Processes
) -> list[Episode]:
    """As `env.step`, with the verifier's work divided. Sampler and wrappers learn the same in every process."""
    if processes.count == 1:
        return env.step(completions, journal)
    known = journal.known(completions) if journal is not None else {}
    own = processes.share(range(len(completions)))
    asked = [i for i in own if i not in known]
    verdicts = _judged(env, [(i, completions[i]) for i in asked], journal)
    given = processes.gathered([known[i] if i in known else verdicts[i] for i in own])
    if journal is not None:
        for i in sorted(set(range(len(completions))) - set(known) - set(asked)):
            journal.record(i, completions[i], given[i])
    return env.step(completions, _Given(given))


def judged_apart(
    definition: Definition,
    tasks: Sequence[Task],
    completions: Sequence[Completion],
    place: tuple[int, int],
    journal: Journal | None,
    processes: Processes,
    pool: Pool | None,
) -> list[Episode]:
    """Groups of completions beside the rollout, judged by the verifier alone: wrappers may count what they see.

    `place` is the step and the draw under which the journal keeps the verdicts.
    """
    if journal is not None:
        journal.step, journal.draw = place
    judge = BatchEnvironment(
        replace(definition, wrappers=()), group_size=len(completions) // max(len(tasks), 1), pool=pool
    )
    judge.reset(tasks=tasks)
    return judged_together(judge, completions, journal, processes)


def _judged(
    env: BatchEnvironment, jobs: Sequence[tuple[int, Completion]], journal: VerdictJournal | None
) -> dict[int, Verdict]:
    """Verdicts of these places of the batch, written down as they come."""

    def keep(position: int, verdict: Verdict) -> None:
        if journal is not None:
            journal.record(*jobs[position], verdict)

    tasks = [(env.tasks[i // env.group_size], completion) for i, completion in jobs]
    found = env.judge.verdicts(tasks, keep) if tasks else []
    return {i: verdict for (i, _), verdict in zip(jobs, found, strict=True)}
