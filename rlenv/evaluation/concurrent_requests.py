"""Asks a server for all completions of an evaluation, with so many requests under way at any time.

Threads take the next question from one queue and put what came into another: none waits for the others of its task. The
thread that evaluates meanwhile plays what answers between turns, and judges what has come. It hands out so many
questions at a time (`WAITING`): a slow verifier slows the asking down. A request that fails for good stops the asking;
what was under way by then is waited for and handed out first. Once a limit of the run is reached no completion and no
episode is begun; those that are under way are seen through.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from queue import PriorityQueue, SimpleQueue
from typing import TypeAlias

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.policy import Sampling
from rlenv.core.task import Task
from rlenv.policies.chat_api import Answered
from rlenv.policies.endpoint import EndpointPolicy, EndpointSession
from rlenv.policies.ledger import Ledger
from rlenv.turns.live import Live
from rlenv.turns.play import hear, turn_seed

WAITING = 8
"""Per request under way, how many questions may be without a verdict."""
CONTINUED, NEW, END = range(3)
"""Which of the questions that wait comes first: that of an episode under way."""


@dataclass(eq=False)
class Question:
    """Completions of one task that are asked for together, or one episode of several turns."""

    task: Task
    indices: list[int]
    """Of its completions in the evaluation; the first decides the sampling seed."""
    live: Live | None = None
    completions: list[Completion] = field(default_factory=list)
    """What came: as many as its indices."""


Outcome: TypeAlias = "tuple[Question, Answered | BaseException | None]"
"""What a request gave; None where it was not made any more."""


def concurrent_answers(
    definition: Definition,
    policy: EndpointPolicy,
    sampling: Sampling,
    questions: Sequence[Question],
    ledger: Ledger | None = None,
) -> Generator[list[Question], None, None]:
    """The questions with their completions as these come, asked by as many threads as requests may be under way.

    Raises PolicyError when a request has failed for good, and LimitReached where the ledger says so, behind all that
    came.
    """
    with policy.session() as session:
        asking = _Asking(definition, session, sampling, questions, ledger or Ledger())
        threads = [threading.Thread(target=asking.work, daemon=True) for _ in range(policy.concurrency)]
        for thread in threads:
            thread.start()
        try:
            ahead = 1 if ledger is not None and ledger.limits.given else WAITING  # what is ahead is spent in any case
            yield from asking.answered(ahead * policy.concurrency)
        finally:
            asking.close(threads)


class _Asking:
    """The questions of one evaluation. `work` runs in threads, all else in the thread that evaluates."""

    def __init__(
        self,
        definition: Definition,
        session: EndpointSession,
        sampling: Sampling,
        questions: Sequence[Question],
        ledger: Ledger,
    ) -> None:
        self._definition, self._session, self._sampling, self._ledger = definition, session, sampling, ledger
        self._new = deque(questions)
        self._open: set[Question] = set()
        """Questions that were handed to the threads and have no verdict."""
        self._out = 0
        """Questions that are with the threads."""
        self._number = count()
        self._to_ask: PriorityQueue[tuple[int, int, Question | None]] = PriorityQueue()
        self._came: SimpleQueue[Outcome] = SimpleQueue()
        self._stopped = threading.Event()
        self._starting = threading.Lock()

    def work(self) -> None:
        """What a thread does: ask one question after the other; once the asking has stopped, give them back."""
        while (question := self._to_ask.get()[2]) is not None:
            outcome: Answered | BaseException | None = None
            begun = question.live is not None
            if not self._stopped.is_set() and (begun or not self._ledger.reached):
                try:
                    outcome = self._ask(question)
                except BaseException as error:  # whatever it is, it belongs to the thread that evaluates
                    outcome = error
                    self._stop()
            self._came.put((question, outcome))

    def answered(self, most_open: int) -> Iterator[list[Question]]:
        """What came since the last time, until everything has; then the first failure is raised."""
        failure: BaseException | None = None
        while True:
            while self._new and len(self._open) < most_open and not (self._stopped.is_set() or self._ledger.reached):
                self._put(NEW, self._new.popleft())
            if not self._out:
                break
            try:
                came = [self._came.get()]
            except KeyboardInterrupt as interrupt:  # what has come is handed out, what is under way is not waited for
                self._stop()
                failure, came, self._new = failure or interrupt, [], deque()
            while not self._came.empty():
                came.append(self._came.get())
            self._out -= len(came)
            failure = failure or next((found for _, found in came if isinstance(found, BaseException)), None)
            ended = self._ended([(question, found) for question, found in came if isinstance(found, Answered)])
            if ended:
                yield ended
            self._open.difference_update(ended)
            if isinstance(failure, KeyboardInterrupt):
                break
        if failure is not None:
            raise failure
        if self._new or self._open:
            self._ledger.check()

    def close(self, threads: Sequence[threading.Thread]) -> None:
        """End the threads; those whose request nobody waits for any more end when it does."""
        self._stop()
        for _ in threads:
            self._to_ask.put((END, next(self._number), None))
        for thread in threads if not self._out else ():
            thread.join()
        for question in self._open:
            if question.live is not None:
                question.live.abandon()

    def _stop(self) -> None:
        self._stopped.set()
        self._session.stop()

    def _put(self, rank: int, question: Question) -> None:
        self._open.add(question)
        self._out += 1
        self._to_ask.put((rank, next(self._number), question))

    def _ask(self, question: Question) -> Answered:
        sampling = replace(self._sampling, seed=seed_of(self._sampling.seed, question.indices[0]))
        if self._definition.interaction is None:
            return self._session.some(question.task.prompt, len(question.indices), sampling)
        if question.live is None:
            with self._starting:
                question.live = Live.of(self._definition, question.task)
        live = question.live
        if live.ended:  # it could not be started
            return Answered([])
        return self._session.turn(live, replace(sampling, seed=turn_seed(sampling.seed, live.said)))

    def _ended(self, came: Sequence[tuple[Question, Answered]]) -> list[Question]:
        """Those that are complete. Episodes go on; completions that a server did not give are asked for apart."""
        spoken: list[tuple[Live, Completion | None]] = []
        for question, answered in came:
            if question.live is None:
                question.completions = answered.completions
                rest = question.indices[len(answered.completions) :]
                question.indices = question.indices[: len(answered.completions)]
                self._new.extendleft(Question(question.task, [index]) for index in reversed(rest))
            elif not question.live.ended:
                spoken.append((question.live, next(iter(answered.completions), None)))
        if spoken:
            hear(self._definition, spoken)
        ended = []
        for question, _ in came:
            if question.live is not None and not question.live.ended:
                self._put(CONTINUED, question)
                continue
            if question.live is not None:
                question.completions = [question.live.completion()]
            ended.append(question)
        return ended


def seed_of(seed: int, *numbers: int) -> int:
    """The sampling seed of one request: it follows from the evaluation's seed and the place of what is asked."""
    return int(np.random.SeedSequence([seed, *numbers]).generate_state(1)[0])
