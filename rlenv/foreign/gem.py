"""An environment of gem as an environment of ours (gem-llm 0.1.0).

    from rlenv.foreign.gem import from_gem

    env = rlenv.make(from_gem("game:GuessTheNumber-v0-easy"))

It runs in a process of its own, which is ended where an answer takes longer than `answer_limit_s` seconds; what was
played in it is played again in the next one. It runs with your rights: it is a process, and no sandbox. Requests and
answers are JSON on a pair of sockets:

    {"do": "reset", "session": 1, "seed": 7}       ->  {"observation": "..."}
    {"do": "step", "session": 1, "text": "..."}    ->  {"observation": "...", "reward": 1.0, "ended": true}
    {"do": "close", "session": 1}                  ->  {}
"""

from __future__ import annotations

import importlib
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import count
from multiprocessing.connection import Connection, Pipe
from typing import Any, cast

import numpy as np

from rlenv.core.definition import Definition
from rlenv.core.errors import MachineryError
from rlenv.core.jsontypes import Json, canonical
from rlenv.foreign.sessions import SessionLost, Step, foreign_definition, register_foreign, within
from rlenv.foreign.versions import check_version

LONGEST = 1 << 24
"""Bytes of one answer; an observation beyond is the environment's failure."""
START_LIMIT_S = 120.0
"""To import gem, which draws in much, and to make a data set."""
END_S = 0.1
"""Given to a process that may be ending by itself."""


def from_gem(gem_id: str, *, id: str = "", **settings: Any) -> str:
    """Register gem's environment as one of ours; its id, `gem/rg-letter_counting-v0` for example.

    The settings are those of `gem_environment`, and may be changed in `rlenv.make`.
    """
    return register_foreign("gem", gem_id, id, f"{__name__}:gem_environment", {"gem_id": gem_id, **settings})


def gem_environment(
    gem_id: str,
    config: dict[str, Json] | None = None,
    imports: list[str] | tuple[str, ...] = (),
    seed: int = 0,
    size: int = 1000,
    max_turns: int = 32,
    answer_limit_s: float = 30.0,
) -> Definition:
    """The definition behind `from_gem`: `size` tasks from `seed`.

    `config` are the keywords of `gem.make`; `imports` names modules that register environments of your own.

    Raises ConfigError where gem is missing or of an unknown version.
    """
    check_version("gem-llm", known="0.1.0", below="0.2")
    opener = _Opener(gem_id, canonical(config or {}), tuple(imports), answer_limit_s)
    return foreign_definition(opener, name=gem_id, version="gem", seed=seed, size=size, max_turns=max_turns)


@dataclass(frozen=True)
class _Opener:
    """Opens sessions; can travel to other processes."""

    gem_id: str
    config: str
    """As JSON, so that an opener can be a key."""
    imports: tuple[str, ...]
    answer_limit_s: float

    def __call__(self) -> _GemSession:
        return _GemSession(_process(self))


@lru_cache(maxsize=8)
def _process(opener: _Opener) -> _GemProcess:
    return _GemProcess(opener)


class _GemSession:
    """One episode in the process; `child` says in which of those that it was."""

    def __init__(self, process: _GemProcess) -> None:
        self.process, self.number = process, next(process.numbers)
        self.child: subprocess.Popen[bytes] | None = None

    def reset(self, seed: int) -> str:
        answer, self.child = self.process.ask({"do": "reset", "session": self.number, "seed": seed})
        return str(answer["observation"])

    def step(self, text: str) -> Step:
        answer, _ = self.process.ask({"do": "step", "session": self.number, "text": text}, self.child)
        return Step(answer["observation"], answer["reward"], answer["ended"])

    def close(self) -> None:
        if self.child is not None:
            try:
                self.process.ask({"do": "close", "session": self.number}, self.child)
            except MachineryError:  # the process is gone, and the session with it
                return


class _GemProcess:
    """Started when it is first asked, and again after it was ended."""

    def __init__(self, opener: _Opener) -> None:
        self.opener, self.numbers = opener, count(1)
        self._child: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._lock = threading.Lock()

    def ask(
        self, request: dict[str, Json], child: subprocess.Popen[bytes] | None = None
    ) -> tuple[dict[str, Any], subprocess.Popen[bytes]]:
        """The answer, and the process that gave it.

        Raises SessionLost where `child` is gone, MachineryError for what went wrong in it.
        """
        with self._lock:
            if child is not None and child is not self._child:
                raise SessionLost(f"the process of {self.opener.gem_id} was ended")
            running = self._child or self._started()
            return self._exchange(running, request, self.opener.answer_limit_s), running

    def _started(self) -> subprocess.Popen[bytes]:
        self._connection, theirs = Pipe()
        settings = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        command = [sys.executable, "-m", "rlenv.foreign.gem", str(theirs.fileno())]
        # what an environment prints goes to standard error
        child = self._child = subprocess.Popen(command, stdout=2, env=settings, pass_fds=[theirs.fileno()])
        theirs.close()
        opener = self.opener
        try:
            request = {"id": opener.gem_id, "config": json.loads(opener.config), "imports": list(opener.imports)}
            self._exchange(child, request, START_LIMIT_S)
        except MachineryError:
            self._end(child)
            raise
        return child

    def _exchange(self, child: subprocess.Popen[bytes], request: dict[str, Json], limit_s: float) -> dict[str, Any]:
        """Send one message and take one. The process is ended where it gives none."""
        name, connection = self.opener.gem_id, cast("Connection", self._connection)

        def talk() -> bytes:
            connection.send_bytes(json.dumps(request).encode())
            return connection.recv_bytes(LONGEST)

        try:
            answer = cast("dict[str, Any]", json.loads(within(limit_s, name, talk)))
        except (EOFError, OSError, ValueError, MachineryError) as error:
            self._end(child)
            if isinstance(error, MachineryError):
                raise
            raise MachineryError(f"the process of {name} is gone, it ended with {child.returncode}: {error}") from error
        if "failed" in answer:
            raise MachineryError(f"{name}: {answer['failed']}"[:500])
        return answer

    def _end(self, child: subprocess.Popen[bytes]) -> None:
        self._child = None
        try:
            child.wait(END_S)  # it may be ending by itself, and says with what
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        cast("Connection", self._connection).close()


class _Environments:
    """In the process: the environments of one gem id, by session.

    gem draws from the global random state. Here every session has one of its own, so that sessions side by side do not
    disturb one another.
    """

    def __init__(self, id: str, config: dict[str, Any], imports: list[str]) -> None:
        import gem

        for module in imports:
            importlib.import_module(module)
        self._make: Callable[[], Any] = partial(gem.make, id, **config)
        self._sessions: dict[int, tuple[Any, Any, Any]] = {}
        """The environment, Python's random state and numpy's."""

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """What comes of a request. Raises what the environment raises."""
        session = request["session"]
        if request["do"] == "close":
            self._sessions.pop(session, None)
            return {}
        if request["do"] == "reset":
            random.seed(request["seed"])
            np.random.seed(request["seed"])
            env = self._make()
            answer: dict[str, Any] = {"observation": _text(env.reset(seed=request["seed"])[0])}
        else:
            env, python, numpy = self._sessions[session]
            random.setstate(python)
            np.random.set_state(numpy)
            observation, reward, terminated, truncated, _ = env.step(request["text"])
            paid = None if reward is None else float(reward)
            answer = {"observation": _text(observation), "reward": paid, "ended": bool(terminated or truncated)}
        self._sessions[session] = env, random.getstate(), np.random.get_state()
        return answer


def _text(observation: object) -> str:
    if not isinstance(observation, str):
        raise TypeError(f"expected an observation of text, got {type(observation).__name__}")
    return observation


def main(handle: int) -> None:
    """Answer until the other end is closed."""
    environments: _Environments | None = None
    with Connection(handle) as connection:
        while True:
            try:
                request = json.loads(connection.recv_bytes())
            except EOFError:
                return
            answer: dict[str, Any] = {}
            try:
                if environments is None:
                    environments = _Environments(**request)
                else:
                    answer = environments.answer(request)
            except Exception as error:  # an environment of others may raise anything
                answer = {"failed": f"{type(error).__name__}: {error}"}
            connection.send_bytes(json.dumps(answer).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]))
