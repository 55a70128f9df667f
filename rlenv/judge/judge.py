"""The one judge: a definition and completions in, verdicts out. Nothing else calls a verifier.

>>> from rlenv.env.tasksets import ListTasks
>>> from rlenv.core.verifier import FunctionVerifier
>>> task = Task("Reverse: abc", "cba")
>>> reverse = FunctionVerifier(lambda completion, answer: completion == answer, cheap=True)
>>> judge = Judge(Definition(tasks=ListTasks([task]), verifier=reverse))
>>> judge.verdict(task, Completion("cba")).reward
1.0
>>> [e.verdict.reward for e in judge.judge([task] * 2, [Completion("cba"), Completion("?")], ["a", "a"])]
[1.0, 0.0]

A cheap verifier runs here. One with tiers is asked here what it can decide cheaply, and the rest goes to worker
processes that are killed past the time limit. A batch verifier isolates by itself: it is asked here for all of it at
once, whatever isolation the definition asks for, or on the machines of the pool where it says that it works anywhere.
Then the wrappers of the definition look at each group, with evidence where one wants it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import BatchVerifier, has_cheap_tiers, judge, judge_cheaply, over_limit
from rlenv.core.wrapper import State
from rlenv.door.deadline import OVERDUE, overdue, until
from rlenv.evidence.asker import Asker, asker_for
from rlenv.judge.wrapping import apply_wrappers
from rlenv.turns.replay import played_verdict
from rlenv.workers.pool import FarPool, OnVerdict, PickledVerifier, Pool, anywhere, shared_pool
from rlenv.workers.protocol import Job


class Judge:
    """Judges completions of one definition. Never raises for what a completion holds.

    What its wrappers learn stays in `states`, by place and name of the wrapper (`state_dict` saves it).
    """

    def __init__(self, definition: Definition, pool: Pool | None = None) -> None:
        self.definition = definition
        self.states: dict[str, State] = {}
        self.asker: Asker | None = asker_for(definition, self.verdicts)
        """Asks the verifier about edits of what was paid; None where no wrapper looks at evidence."""
        verifier = definition.verifier
        self._verifier = verifier
        self._batch = verifier if isinstance(verifier, BatchVerifier) else None
        self._inline = definition.inline and self._batch is None
        self._tiered = definition.isolation == "auto" and has_cheap_tiers(verifier)
        self._max_chars = definition.max_completion_chars
        self._sees_turns = getattr(verifier, "sees_turns", False)
        self._pool = pool
        self._pickled: PickledVerifier | None = None

    def verdict(self, task: Task, completion: Completion) -> Verdict:
        """The verifier's verdict on one completion, before any wrapper."""
        if completion.turns:
            return self.verdicts([(task, completion)])[0]
        verdict = self._here(task, completion)
        return self._apart([(task, completion)], None)[0] if verdict is None else verdict

    def verdicts(self, jobs: Sequence[Job], on_verdict: OnVerdict | None = None) -> list[Verdict]:
        """The verifier's verdict on each task and completion, in order; `on_verdict` hears each as soon as it is known.

        Where the caller has a deadline (`rlenv.door.deadline`), what is not begun by then is a `verifier_error`.
        """
        verdicts: dict[int, Verdict] = {}
        starts: dict[int, int] = {}

        def tell(index: int, verdict: Verdict) -> None:
            verdict = verdict.shifted(starts[index]) if index in starts else verdict
            verdicts[index] = verdict
            if on_verdict is not None:
                on_verdict(index, verdict)

        apart: list[tuple[int, Job]] = []
        has_deadline = until() < math.inf
        for index, (task, completion) in enumerate(jobs):
            verdict = None
            if completion.turns:
                verdict = played_verdict(self.definition, task, completion)
                if not self._sees_turns:
                    completion, starts[index] = completion.last_turn()
            if verdict is None:
                late = has_deadline and overdue()
                verdict = Verdict.error(OVERDUE) if late else self._here(task, completion)
            if verdict is None:
                apart.append((index, (task, completion)))
            else:
                tell(index, verdict)
        if apart:
            self._apart([job for _, job in apart], lambda place, verdict: tell(apart[place][0], verdict))
        return [verdicts[index] for index in range(len(jobs))]

    def judge(
        self,
        tasks: Sequence[Task],
        completions: Sequence[Completion],
        groups: Sequence[str | int],
        *,
        step: int = 0,
        wrappers: bool = True,
        learning: AbstractContextManager[object] = nullcontext(),  # noqa: B008 -- it may be entered again
        known: Mapping[int, Verdict] | None = None,
        on_verdict: OnVerdict | None = None,
    ) -> list[Episode]:
        """One episode a completion, in order; completions with equal keys in `groups` are a group for the wrappers.

        `known` are verdicts given before, by place. `learning` is held while wrappers look: what they learn is one
        state.
        """
        known = known or {}
        unknown = [i for i in range(len(tasks)) if i not in known]
        tell = None if on_verdict is None else lambda place, verdict: on_verdict(unknown[place], verdict)
        given = iter(self.verdicts([(tasks[i], completions[i]) for i in unknown], tell))
        numbers = {key: number for number, key in enumerate(dict.fromkeys(groups))}
        env_id, version = self.definition.id, self.definition.verifier.version
        episodes = [
            Episode(
                task,
                completions[i],
                known[i] if i in known else next(given),
                group=numbers[groups[i]],
                index=i,
                step=step,
                env_id=env_id,
                verifier_version=version,
            )
            for i, task in enumerate(tasks)
        ]
        if not (wrappers and self.definition.wrappers):
            return episodes
        members: list[list[Episode]] = [[] for _ in numbers]
        for episode in episodes:
            members[episode.group].append(episode)
        with learning:
            members = [self.wrapped(group) for group in members]
        return sorted((episode for group in members for episode in group), key=lambda episode: episode.index)

    def wrapped(self, group: Sequence[Episode]) -> list[Episode]:
        """The episodes of one group as the definition's wrappers leave them, first to last."""
        return apply_wrappers(self.definition.wrappers, group, self.states, self.asker)

    def state_dict(self) -> dict[str, Json]:
        """What the wrappers have learned, as JSON."""
        return {key: dict(state) for key, state in self.states.items()}

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        self.states = {key: dict(cast("Mapping[str, Json]", value)) for key, value in state.items()}

    def _here(self, task: Task, completion: Completion) -> Verdict | None:
        """The verdict where it needs no worker."""
        if completion.failure:
            return Verdict.error(completion.failure)
        if len(completion.text) > self._max_chars:
            return over_limit(f"{self._max_chars} characters")
        if self._inline:
            return judge(self._verifier, task, completion)
        return judge_cheaply(self._verifier, task, completion) if self._tiered else None

    def _apart(self, jobs: Sequence[Job], on_verdict: OnVerdict | None) -> list[Verdict]:
        """The verdicts of a batch verifier, or of workers."""
        if self._batch is not None and not (anywhere(self._batch) and isinstance(self._pool or shared_pool(), FarPool)):
            return in_batch(self._batch, jobs, on_verdict)
        if self._pickled is None:
            self._pickled = PickledVerifier.of(self._verifier)
        pool = self._pool or shared_pool()
        return pool.judge_all(self._pickled, jobs, self.definition.time_limit_s, on_verdict)


def in_batch(verifier: BatchVerifier, jobs: Sequence[Job], on_verdict: OnVerdict | None = None) -> list[Verdict]:
    """One verdict a job, whatever the verifier does."""
    verdicts: dict[int, Verdict] = {}
    for index, verdict in _of_batch(verifier, jobs):
        verdicts[index] = verdict
        if on_verdict is not None:
            on_verdict(index, verdict)
    return [verdicts[index] for index in range(len(jobs))]


def _of_batch(verifier: BatchVerifier, jobs: Sequence[Job]) -> Iterator[tuple[int, Verdict]]:
    """The first that the verifier says of each job, and an error for those that it leaves out."""
    missing = dict.fromkeys(range(len(jobs)))
    problem = "the verifier gave no verdict"
    try:
        for index, verdict in verifier.verify_all(jobs):
            if index in missing:
                del missing[index]
                yield index, verdict
            if missing and overdue():
                problem = OVERDUE
                break
    except Exception as error:  # as for any verifier: what it raises may not stop a run
        problem = f"{type(error).__name__}: {error}"
    for index in missing:
        yield index, Verdict.error(problem)
