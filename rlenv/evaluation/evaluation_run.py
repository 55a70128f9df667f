"""Judges, counts and saves the completions of an evaluation as they come: in chunks, or side by side.

Both ways give the same to a reader: the number of each completion says whose it is, and the report does not depend on
the order in which they came. Wrappers see whole groups in the order of the tasks, because they may learn; so with
wrappers what comes early waits for the groups before it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import TooManyVerifierErrors
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Policy, Sampling
from rlenv.core.task import Task
from rlenv.env.batch import BatchEnvironment
from rlenv.evaluation.concurrent_requests import Question, asked_side_by_side
from rlenv.evaluation.report import Tally
from rlenv.evaluation.sample_ids import Numbering, seed_of
from rlenv.evaluation.savedrun import SavedRun
from rlenv.judge.wrapping import at_fault
from rlenv.policies.endpoint import EndpointPolicy
from rlenv.turns.play import play
from rlenv.workers.pool import Pool

EARLIEST_STOP = 32
"""Verifier errors stop a run once this many episodes are in, or at its end."""
Came: TypeAlias = "tuple[int, Completion, int]"
"""The index of a completion, the completion and the sampling seed of its request."""


class Keeping:
    """What is known of an evaluation's completions so far."""

    def __init__(
        self,
        definition: Definition,
        tasks: Sequence[Task],
        numbering: Numbering,
        saved: SavedRun | None,
        tally: Tally,
        seed: int,
        pool: Pool | None,
        max_error_share: float,
    ) -> None:
        self.definition, self.tasks, self.numbering, self.seed, self.tally = definition, tasks, numbering, seed, tally
        self.known: set[int] = set()
        """The indices of what is judged."""
        self.there = 0
        """How many of them an earlier call had saved."""
        self._saved, self._max_error_share = saved, max_error_share
        self._learning = bool(definition.wrappers)
        self._batch = BatchEnvironment(definition, group_size=numbering.n if self._learning else 1, pool=pool)
        self._early: dict[int, tuple[Completion, int]] = {}
        self._usage: dict[str, float] = {}

    @property
    def done(self) -> int:
        return len(self.known)

    def resume(self, sizes: Iterator[int]) -> None:
        """Count what is saved; `sizes` are those of the appends, in order."""
        if self._saved is None:
            return
        self._saved.keep_whole(sizes)
        for episode in self._saved.episodes():
            if episode.index not in self.known:
                self.known.add(episode.index)
                self.tally.add([episode])
        self.there = self.done
        state = self._saved.last_state()
        if state is not None:
            self._batch.load_state_dict(state)

    def used(self, **amounts: float) -> None:
        """Count tokens and seconds; they are written with the next episodes."""
        for name, amount in amounts.items():
            self._usage[name] = self._usage.get(name, 0) + amount

    def keep(self, came: Sequence[Came]) -> int:
        """Judge, save and count what came in any order; returns how many, of those that waited too, are done."""
        if not self._learning:
            return self.judge(came)
        self._early |= {index: (completion, seed) for index, completion, seed in came}
        before = self.done
        while all(index in self._early for index in self._next_group()):
            self.judge([(index, *self._early.pop(index)) for index in self._next_group()])
        return self.done - before

    def _next_group(self) -> range:
        return range(self.done, self.done + self.numbering.n)

    def judge(self, came: Sequence[Came]) -> int:
        """The same for whole groups that are next."""
        places = [self.numbering.place(index) for index, _, _ in came]
        self._batch.reset(tasks=[self.tasks[place] for place in places[:: self._batch.group_size]])
        judged = self._batch.step([completion for _, completion, _ in came])
        episodes: list[Episode] = [
            replace(episode, group=place, index=index, seed=seed)
            for episode, place, (index, _, seed) in zip(judged, places, came, strict=True)
        ]
        if self._saved is not None:
            usage: Mapping[str, Json] = {"completions": len(came), **self._usage}
            self._saved.append(episodes, self._batch.state_dict() if self._learning else None, usage)
            self._usage = {}
        self.known |= {index for index, _, _ in came}
        self.tally.add(episodes)
        if self.tally.episodes >= EARLIEST_STOP:
            self.check_errors()
        return len(came)

    def check_errors(self) -> None:
        """Raise TooManyVerifierErrors when the checker failed on more than the share of episodes allowed."""
        tally = self.tally
        if tally.errors > self._max_error_share * tally.episodes:
            reason, count = tally.reasons.most_common(1)[0]
            who = at_fault(tally.reasons)
            again = "judge the saved episodes again with `rlenv rescore` or " if who == "verifier" else ""
            raise TooManyVerifierErrors(
                f"the {who} failed on {tally.errors} of {tally.episodes} episodes, more than the share of "
                f"{self._max_error_share:g} that max_error_share allows; most often ({count}): {reason}; "
                f"fix the {who}, then {again}start again"
            )


def in_chunks(keeping: Keeping, policy: Policy, sampling: Sampling, chunk: int) -> Iterator[int]:
    """Ask for the completions of `chunk` tasks after the other; gives how many are done each time."""
    numbering, tasks = keeping.numbering, keeping.tasks
    chunks = [
        (one, place, tasks[place : place + chunk])
        for one in numbering.rounds()
        for place in range(0, len(tasks), chunk)
    ]
    keeping.resume(len(of) * one.width for one, _, of in chunks)
    for one, place, of in chunks:
        start = one.start + place * one.width
        if start in keeping.known:
            continue
        seed = seed_of(keeping.seed, place, *([one.first] if one.first else []))
        started = time.monotonic()
        said = play(keeping.definition, policy, of, one.width, replace(sampling, seed=seed))
        tokens = sum(completion.said_tokens for completion in said)
        keeping.used(requests=1, completion_tokens=tokens, seconds=time.monotonic() - started)
        yield keeping.judge([(start + i, completion, seed) for i, completion in enumerate(said)])


def side_by_side(keeping: Keeping, policy: EndpointPolicy, sampling: Sampling) -> Iterator[int]:
    """Keep a server busy with what is missing; gives how many are done each time.

    Raises PolicyError when the server fails for good, after what had come by then is saved.
    """
    definition, numbering = keeping.definition, keeping.numbering
    group = numbering.n if definition.wrappers else 1
    keeping.resume(iter([group] * (numbering.total // group)))
    questions = [
        Question(keeping.tasks[numbering.place(indices[0])], own)
        for indices in numbering.missing(keeping.known)
        for own in ([indices] if definition.interaction is None else [[index] for index in indices])
    ]
    sampling = replace(sampling, seed=keeping.seed)
    with asked_side_by_side(definition, policy, sampling, questions) as asking:
        for given in asking.given():
            for question in given:
                keeping.used(
                    requests=question.requests,
                    prompt_tokens=question.prompt_tokens,
                    completion_tokens=question.said_tokens,
                    seconds=question.seconds,
                )
            yield keeping.keep(
                [
                    (index, completion, seed_of(keeping.seed, question.indices[0]))
                    for question in given
                    for index, completion in zip(question.indices, question.completions, strict=True)
                ]
            )
