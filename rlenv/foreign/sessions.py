"""Another library's stateful environment as ours: tasks addressed by a seed, turns that can be played again.

    definition = foreign_definition(connect, name="game:GuessTheNumber-v0", version="gem 0.1.0", size=1000)

`connect()` opens a session with `reset(seed)`, `step(text)` and `close()`. A foreign environment keeps its state to
itself; here the state of an episode is its seed and what was said, so that it can be forked, replayed and judged again:
a session that is not at hand is made again from them. What comes out otherwise the second time, raises, hangs beyond
the session's own time limit or pays what is no number is a failure of the machinery: a `verifier_error`, never a 0.
"""

from __future__ import annotations

import hashlib
import math
import re
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, cast

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, MachineryError
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import Task
from rlenv.env.registry import register
from rlenv.turns.replay import ReplayVerifier

Answer = TypeVar("Answer")
MOST_OPEN = 256
"""Sessions that are kept open at once; of those beyond, the oldest is closed, and made again when it is needed."""
LIMIT_S = 120.0
"""Of a verification in a process of its own, which an audit asks for: it imports the foreign package and opens sessions
first, for which no completion is to blame. Sessions have shorter limits for each answer."""
SEED = "seed"
"""The column of a task's metadata that says how the foreign environment is reset."""


class Step(NamedTuple):
    """What a foreign environment answers; a reward of None says nothing yet, or at the end that it is not graded."""

    observation: str
    reward: float | None
    ended: bool


class Session(Protocol):
    """One episode of a foreign environment. All methods raise MachineryError, SessionLost where it is gone."""

    def reset(self, seed: int) -> str: ...

    def step(self, text: str) -> Step: ...

    def close(self) -> None: ...


class SessionLost(MachineryError):
    """The process or the connection behind a session is gone; its episode can be played again in another."""


Connect: TypeAlias = "Callable[[], Session]"


@dataclass(frozen=True)
class ForeignTasks:
    """Task `index` is what the environment asks when it is reset with a seed made of (`seed`, `index`)."""

    connect: Connect
    name: str
    seed: int = 0
    size: int = 1000

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ConfigError(f"expected a size of at least 1, got {self.size}")

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Task:
        """Raises MachineryError where the environment cannot be asked."""
        if not 0 <= index < self.size:
            raise IndexError(f"expected an index in [0, {self.size}), got {index}")
        return _task(self, index)


@lru_cache(maxsize=4096)
def _task(tasks: ForeignTasks, index: int) -> Task:
    # 31 bits, because many environments hand their seed on to numpy's old generator
    seed = int(np.random.SeedSequence([tasks.seed, index]).generate_state(1)[0] >> 1)
    session = tasks.connect()
    try:
        prompt = session.reset(seed)
    finally:
        session.close()
    return Task(prompt, id=f"{tasks.name}/{seed}", metadata={SEED: seed})


@dataclass
class ForeignInteraction:
    """The turns of a foreign environment. What it is told is the content of each turn, without reasoning."""

    connect: Connect
    tools = ()
    _open: dict[str, Session] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def start(self, task: Task) -> Json:
        """Raises MachineryError where the same seed does not ask what the task asks."""
        state: dict[str, Json] = {SEED: cast("int", task.metadata[SEED]), "said": [], "heard": _hash(task.prompt)}
        self._keep(state, self._replayed(state))
        return state

    def respond(self, state: Json, said: Completion) -> Reply:
        """Raises MachineryError for whatever the environment does that is no answer."""
        before = cast("dict[str, Json]", state)
        text = said.content.text
        session, step = self._take(before), None
        if session is not None:
            with suppress(SessionLost):  # kept for too long: once more, from the beginning
                step = _checked_step(session, text)
        if session is None or step is None:
            session = self._replayed(before)
            step = _checked_step(session, text)
        after = {
            **before,
            "said": [*cast("list[Json]", before["said"]), text],
            "heard": _hash([before["heard"], *step]),
        }
        self._keep(after, session)
        return Reply(after, step.observation, step.ended, step.reward or 0.0)

    def close(self, state: Json) -> None:
        """Close the session of an episode that is over; there is none of one that did not begin."""
        session = None if state is None else self._take(cast("dict[str, Json]", state))
        if session is not None:
            session.close()

    def _replayed(self, state: Mapping[str, Json]) -> Session:
        """A session in this state, played from its seed."""
        session = self.connect()
        try:
            heard = _hash(session.reset(cast("int", state[SEED])))
            for text in cast("list[str]", state["said"]):
                heard = _hash([heard, *session.step(text)])
            if heard != state["heard"]:
                raise MachineryError(
                    f"seed {state[SEED]} and the same words gave another answer than before: the environment is not "
                    "deterministic, so its episodes cannot be judged; let it draw only from its seed"
                )
        except BaseException:
            session.close()
            raise
        return session

    def _take(self, state: Mapping[str, Json]) -> Session | None:
        with self._lock:
            return self._open.pop(canonical(dict(state)), None)

    def _keep(self, state: Mapping[str, Json], session: Session) -> None:
        with self._lock:
            before = self._open.pop(canonical(dict(state)), None)
            self._open[canonical(dict(state))] = session
            oldest = self._open.pop(next(iter(self._open))) if len(self._open) > MOST_OPEN else None
        for unwanted in (before, oldest):
            if unwanted is not None:
                unwanted.close()

    def __getstate__(self) -> dict[str, object]:
        return {"connect": self.connect}  # sessions stay in the process that opened them

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(cast("Connect", state["connect"]))  # type: ignore[misc]


def within(limit_s: float, who: str, ask: Callable[[], Answer]) -> Answer:
    """What `ask` gives. Raises MachineryError where it takes longer than `limit_s` seconds, and what it raises.

    It is asked in a thread, which nobody can end: for processes that can be ended.
    """
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(ask())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    if not wait([answer], limit_s).done:
        raise MachineryError(f"{who} gave no answer in {limit_s:g} s")
    return answer.result()


def foreign_definition(
    connect: Connect, *, name: str, version: str, seed: int = 0, size: int = 1000, max_turns: int = 32
) -> Definition:
    """The environment of these sessions; `size` tasks, made from `seed`.

    The verdict is the sum of what the environment paid. Sessions have time limits of their own, so it is made inline.
    """
    interaction = ForeignInteraction(connect)
    return Definition(
        tasks=ForeignTasks(connect, name, seed, size),
        verifier=ReplayVerifier(interaction, version=f"{version} {name}"),
        interaction=interaction,
        max_turns=max_turns,
        description=f"{name} of {version}",
        time_limit_s=LIMIT_S,
    )


def register_foreign(family: str, name: str, id: str, entry_point: str, kwargs: Mapping[str, Any]) -> str:
    """Register an environment under `id`, else under an id made of its name: `gem/game-GuessTheNumber-v0`."""
    if not id:
        name = re.sub(r"[^\w.-]+", "-", name).strip("-")  # the colon of `game:GuessTheNumber-v0`, the slashes of a URL
        id = f"{family}/{name if re.search(r'-v[0-9]+$', name) else f'{name}-v0'}"
    register(id, entry_point=entry_point, kwargs=kwargs)
    return id


def refuse_problems(name: str, problems: Mapping[str, bool], do: str = "") -> None:
    """Raise ConfigError where one of these problems is there: scoring without what is missing would pay otherwise."""
    if there := [problem for problem, is_there in problems.items() if is_there]:
        raise ConfigError(f"{name} cannot be judged from what was said alone: {'; '.join(there)}{do}")


def _checked_step(session: Session, text: str) -> Step:
    """One step, whose pay is looked at; what fails closes the session."""
    try:
        step = session.step(text)
        if step.reward is None and step.ended:
            raise MachineryError("the environment ended the episode without a reward: it is not graded")
        if step.reward is not None and not math.isfinite(step.reward):
            raise MachineryError(f"the environment paid {step.reward}, which is no reward")
    except BaseException:
        session.close()
        raise
    return step


def _hash(value: object) -> str:
    """Short, because it stands in every state; NaN and infinities are told too."""
    return hashlib.blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
