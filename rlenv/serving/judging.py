"""What the service judges with: the environments that were named, a bounded queue, and threads that judge."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition, check_trainable
from rlenv.core.errors import ConfigError, Saturated, TaskError, UnknownEnvironment
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.door.deadline import deadline
from rlenv.env.admission import operators_own, without_source
from rlenv.env.registry import load
from rlenv.env.rows import GroupJudge
from rlenv.turns.play import reference_completion
from rlenv.workers.pool import Pool

PAUSE_S, LONGEST_PAUSE_S = 1, 60
"""Until a client asks again, where the queue is full and where every thread is stuck; each doubles it by itself."""
STUCK_S = 0.1
"""A request that is judged for so long leaves its seat to the next."""
MOST_STUCK = 256
"""Requests that have left their seat and are still judged; with more, seats stay taken."""
GRACE_S = 1.0
"""What is judged ends by itself at its deadline, with the verdicts that it has; its thread is waited for so long."""
READERS = 2
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Served:
    """One environment of the service."""

    kwargs: Mapping[str, Json]
    judge: GroupJudge
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while wrappers see a group: what they learn is one state."""

    @property
    def definition(self) -> Definition:
        return self.judge.definition

    def made_with(self, kwargs: object) -> bool:
        """Whether a row of these keywords is of this service.

        Left out may be where its task came from, and what only the operator may give.
        """
        if not isinstance(kwargs, Mapping):
            return False
        ours, own = without_source(self.kwargs), operators_own(self.definition.id, self.kwargs)
        rest = {name: value for name, value in ours.items() if name not in own or name in kwargs}
        return canonical(without_source(kwargs)) == canonical(rest)

    def describe(self) -> dict[str, Json]:
        """What a client asks of an environment before it trusts the verdicts."""
        return {
            "env": self.definition.id,
            "kwargs": dict(self.kwargs),
            "verifier_version": self.definition.verifier.version,
            "wrappers": [wrapper.name for wrapper in self.definition.wrappers],
            "evaluation_only": self.definition.evaluation_only,
        }


class Job(NamedTuple):
    """One completion to judge; equal groups of one request are one group for the wrappers.

    A job with a `problem` is not judged: that is why.
    """

    served: Served | None
    task: Task
    completion: Completion
    group: str
    problem: str = ""


class Environments:
    """The environments that were named, found by id and keywords."""

    def __init__(
        self, named: Sequence[tuple[str, Mapping[str, Json]]], *, evaluation: bool, pool: Pool | None = None
    ) -> None:
        """Raises ConfigError where none or one twice is named, and whatever making an environment raises."""
        if not named:
            raise ConfigError("expected at least one environment to serve, got none; see `rlenv list`")
        self._served: dict[str, Served] = {}
        for id, kwargs in named:
            if id in self._served:
                raise ConfigError(f"{id} is named twice; start a second server for other keywords")
            definition = load(id, **kwargs)
            if not evaluation:
                check_trainable(definition)
            self._served[id] = Served(dict(kwargs), GroupJudge(definition, pool))

    def __iter__(self) -> Iterator[Served]:
        return iter(self._served.values())

    def find(self, id: object, kwargs: object = None) -> Served:
        """The environment that a request names. Raises UnknownEnvironment for all others, which are never made here.

        Keywords that the request leaves out are those of the service; others are refused.
        """
        served = self._served.get(id) if isinstance(id, str) else None
        if served is None:
            raise UnknownEnvironment(f"no environment {id!r:.100} here; this server judges {', '.join(self._served)}")
        if kwargs is not None and not served.made_with(kwargs):
            raise UnknownEnvironment(
                f"{id} is served with {canonical(served.kwargs):.200}, got {canonical(kwargs):.200}; make the rows "
                "with these keywords, or start the server with --set ID:KEY=VALUE"
            )
        return served

    def check(self) -> None:
        """Judge one reference of each, so that a checker which cannot work is known before anybody asks.

        Raises ConfigError with its reason.
        """
        for served in self:
            definition = served.definition
            task = definition.tasks[0]
            try:
                said = reference_completion(definition, task)
            except TaskError:
                said = Completion("")
            verdict = served.judge.judge([task], [said], ["0"], wrappers=False)[0].verdict
            if not verdict.graded:
                raise ConfigError(f"{definition.id} cannot judge here: {verdict.reason}")


class Desk:
    """Takes requests as long as there is room, and judges each in a thread of its own.

    `threads` are judged side by side. One that is long at it does not count: it leaves its seat to the next.
    """

    def __init__(self, *, queue: int, threads: int) -> None:
        self.queue, self.waiting = queue, 0
        self._seats, self._stuck = asyncio.Semaphore(threads), 0
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="read")

    @contextmanager
    def room(self, completions: int) -> Iterator[None]:
        """Room for so many completions until the block ends. Raises Saturated where there is none."""
        if self.waiting and self.waiting + completions > self.queue:
            raise Saturated(f"{self.waiting} completions wait already", PAUSE_S)
        self.waiting += completions
        try:
            yield
        finally:
            self.waiting -= completions

    async def judged(self, work: Callable[[], Result], seconds: float) -> Result | None:
        """What `work` gives within so many seconds; None where it gives nothing.

        Raises Saturated where it cannot even begin.
        """
        end = time.monotonic() + seconds
        try:
            async with asyncio.timeout(seconds):
                await self._seats.acquire()
        except TimeoutError as error:
            raise Saturated("requests that are stuck have every thread", LONGEST_PAUSE_S) from error
        result = asyncio.wrap_future(_begun(work, end - time.monotonic()))
        await asyncio.wait([result], timeout=STUCK_S)
        if result.done() or self._stuck >= MOST_STUCK:
            result.add_done_callback(lambda _: self._seats.release())
        else:
            self._seats.release()
            self._stuck += 1
            result.add_done_callback(self._ended)
        await asyncio.wait([result], timeout=max(0.0, end + GRACE_S - time.monotonic()))
        return result.result() if result.done() else None

    def _ended(self, _: object) -> None:
        self._stuck -= 1

    async def read(self, work: Callable[[], Result]) -> Result:
        """What `work` gives, whose time grows with what is read and no more."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, work)

    def close(self) -> None:
        self._readers.shutdown(wait=True, cancel_futures=True)


def _begun(work: Callable[[], Result], seconds: float) -> Future[Result]:
    """What a thread of its own will give; none is waited for at the end of the process."""
    result: Future[Result] = Future()

    def run() -> None:
        try:
            with deadline(seconds):
                result.set_result(work())
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=run, name="judge", daemon=True).start()
    return result


def judged(jobs: Sequence[Job], *, wrappers: bool) -> list[Verdict]:
    """One verdict a job, in order; never raises for what it is asked to judge."""
    verdicts = [Verdict.error(job.problem) for job in jobs]
    for served in dict.fromkeys(job.served for job in jobs):
        if served is None:
            continue
        places = [i for i, job in enumerate(jobs) if job.served is served]
        tasks, said, keys = zip(*[(jobs[i].task, jobs[i].completion, jobs[i].group) for i in places], strict=True)
        wrapped = wrappers and bool(served.definition.wrappers)
        learning = served.lock if wrapped else nullcontext()
        episodes = served.judge.judge(tasks, said, keys, wrappers=wrapped, learning=learning)
        for place, episode in zip(places, episodes, strict=True):
            verdicts[place] = episode.verdict
    return verdicts
