"""Asks a server for all completions of an evaluation, with so many requests under way at any time.

Threads take what is to be asked next from one list and put what came into another: none waits for the others of its
task. The thread that evaluates meanwhile plays what answers between turns, and judges all that has come. Questions
without a verdict are bounded (`WAITING`): a slow verifier slows the asking down. A request that fails for good stops
the asking; what was under way by then is waited for and handed out first.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.policy import Sampling
from rlenv.core.task import Task
from rlenv.evaluation.sample_ids import seed_of
from rlenv.policies.chat_api import Answered
from rlenv.policies.endpoint import EndpointPolicy, EndpointSession
from rlenv.turns.live import Live
from rlenv.turns.play import hear, turn_seed

WAITING = 8
"""Per request under way, how many questions may be without a verdict."""


@dataclass(eq=False)
class Question:
    """Completions of one task that are asked for together, or one episode of several turns."""

    task: Task
    indices: list[int]
    """Of its completions, in `rlenv.evaluation.sample_ids`; the first decides the sampling seed."""
    live: Live | None = None
    completions: list[Completion] = field(default_factory=list)
    """What came: as many as its indices."""
    prompt_tokens: int = 0
    """As the server counts them, over all requests."""
    said_tokens: int = 0
    seconds: float = 0.0
    """That its requests took."""
    requests: int = 0

    def count(self, answered: Answered, seconds: float) -> None:
        self.prompt_tokens += answered.prompt_tokens
        self.said_tokens += answered.said_tokens
        self.seconds += seconds
        self.requests += 1


class Asking:
    """The questions of one evaluation, asked by threads."""

    def __init__(self, definition: Definition, session: EndpointSession, sampling: Sampling, waiting: int) -> None:
        self._definition, self._session, self._sampling = definition, session, sampling
        self._waiting = waiting
        self._new: deque[Question] = deque()
        self._continued: deque[Question] = deque()
        """Episodes of several turns that have heard an answer."""
        self._came: list[tuple[Question, Answered]] = []
        self._change = threading.Condition()
        self._starting = threading.Lock()
        self._lives: set[Question] = set()
        self._open = 0
        """Questions that were taken and have no verdict."""
        self._asked = 0
        """Requests under way."""
        self._left = 0
        """Completions that were not handed out yet."""
        self._failure: BaseException | None = None
        self._stopped = False
        self._given_up = False
        """What is under way is not waited for."""

    def add(self, questions: Iterable[Question]) -> None:
        """To be asked behind those that wait."""
        self._new.extend(questions)
        self._left = sum(len(question.indices) for question in self._new)

    def given(self) -> Iterator[list[Question]]:
        """What came since the last time, until everything has. Raises PolicyError once nothing more will come."""
        while True:
            came = self._next_came()
            if not came:
                break
            ended = self._ended(came)
            if ended:
                yield ended
            with self._change:
                self._open -= len(ended)
                self._left -= sum(len(question.indices) for question in ended)
                self._change.notify_all()
        if self._failure is not None:
            raise self._failure

    def work(self) -> None:
        """What a thread does: ask one question after the other."""
        while (question := self._take()) is not None:
            try:
                started = time.monotonic()
                answered = self._ask(question)
                question.count(answered, time.monotonic() - started)
            except BaseException as error:  # whatever it is, it belongs to the thread that evaluates
                self.stop(error)
                answered = None
            with self._change:
                self._asked -= 1
                if answered is not None:
                    self._put(question, answered)
                self._change.notify_all()

    def stop(self, failure: BaseException | None = None) -> None:
        """Ask nothing more. The first failure is the one that is told."""
        with self._change:
            self._stopped = True
            self._failure = self._failure or failure
            self._change.notify_all()
        self._session.stop()

    def close(self, threads: Sequence[threading.Thread]) -> None:
        """End the threads; those whose request nobody waits for any more end when it does."""
        self.stop()
        with self._change:
            idle = not self._asked and not self._given_up
        for thread in threads if idle else ():
            thread.join()
        for question in self._lives:
            if question.live is not None:
                question.live.abandon()

    def _take(self) -> Question | None:
        with self._change:
            while not self._stopped:
                if self._continued or (self._new and self._open < self._waiting):
                    self._asked += 1
                    if self._continued:
                        return self._continued.popleft()
                    self._open += 1
                    return self._new.popleft()
                self._change.wait()
            return None

    def _ask(self, question: Question) -> Answered:
        sampling = replace(self._sampling, seed=seed_of(self._sampling.seed, question.indices[0]))
        if self._definition.interaction is None:
            return self._session.some(question.task.prompt, len(question.indices), sampling)
        if question.live is None:
            with self._starting:
                question.live = Live.of(self._definition, question.task)
                self._lives.add(question)
        live = question.live
        if live.ended:  # it could not be started
            return Answered([])
        return self._session.turn(live, replace(sampling, seed=turn_seed(sampling.seed, live.said)))

    def _put(self, question: Question, answered: Answered) -> None:
        """Keep what came; where a server gave fewer completions than were wanted, the others are asked for apart."""
        if question.live is None:
            rest = question.indices[len(answered.completions) :]
            question.indices = question.indices[: len(answered.completions)]
            self._new.extendleft(Question(question.task, [index]) for index in reversed(rest))
        self._came.append((question, answered))

    def _next_came(self) -> list[tuple[Question, Answered]]:
        """Waits for what comes; nothing where nothing will."""
        try:
            with self._change:
                while not self._came and self._left and not (self._stopped and (self._given_up or not self._asked)):
                    self._change.wait()
                came, self._came = self._came, []
                return came
        except KeyboardInterrupt as interrupt:  # what has come is handed out, what is under way is not waited for
            self._given_up = True
            self.stop(interrupt)
            return self._next_came()

    def _ended(self, came: Sequence[tuple[Question, Answered]]) -> list[Question]:
        """Those that are complete; the other episodes go on."""
        spoken: list[tuple[Live, Completion | None]] = []
        for question, answered in came:
            if question.live is None:
                question.completions = answered.completions
            elif not question.live.ended:
                spoken.append((question.live, next(iter(answered.completions), None)))
        if spoken:
            hear(self._definition, spoken)
        ended: list[Question] = []
        for question, _ in came:
            if question.live is not None and question.live.ended:
                question.completions = [question.live.completion()]
                self._lives.discard(question)
            if question.completions:
                ended.append(question)
        going_on = [question for question, _ in came if not question.completions]
        with self._change:
            self._continued.extend(going_on)
            self._change.notify_all()
        return ended


@contextmanager
def asked_side_by_side(
    definition: Definition, policy: EndpointPolicy, sampling: Sampling, questions: Iterable[Question]
) -> Iterator[Asking]:
    """The questions, being asked from now on by as many threads as requests may be under way."""
    with policy.session() as session:
        asking = Asking(definition, session, sampling, WAITING * policy.concurrency)
        asking.add(questions)
        threads = [threading.Thread(target=asking.work, daemon=True) for _ in range(policy.concurrency)]
        for thread in threads:
            thread.start()
        try:
            yield asking
        finally:
            asking.close(threads)
