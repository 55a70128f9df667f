"""An environment of gem as an environment of ours (gem-llm 0.1.0).

    from rlenv.integrations.gem import from_gem

    env = rlenv.make(from_gem("game:GuessTheNumber-v0-easy"))

It runs in a process of its own, which is ended where an answer takes longer than `answer_limit_s` seconds; what was
played in it is played again in the next one. It runs with your rights: it is a process, and no sandbox.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Any, cast

from rlenv.core.definition import Definition
from rlenv.core.errors import MachineryError
from rlenv.core.jsontypes import Json, canonical
from rlenv.env.registry import register
from rlenv.integrations.foreign import SessionLost, Step, foreign_definition
from rlenv.integrations.versions import check_version

LONGEST = 1 << 24
"""Bytes of one answer; an observation beyond is the environment's failure."""
START_LIMIT_S = 120.0
"""To import gem, which draws in much, and to make a data set."""
_VERSION = re.compile(r"-v\d+$")
"""The end of `code:CodeContest-v0`."""


def from_gem(gem_id: str, *, id: str = "", **settings: Any) -> str:
    """Register gem's environment as one of ours; its id, `gem/rg-letter_counting-v0` for example.

    The settings are those of `gem_environment`, and may be changed in `rlenv.make`.
    """
    name = re.sub(r"[^\w.-]+", "-", gem_id)  # the colon of `game:GuessTheNumber-v0`
    id = id or f"gem/{name if _VERSION.search(name) else f'{name}-v0'}"
    register(id, entry_point="rlenv.integrations.gem:gem_environment", kwargs={"gem_id": gem_id, **settings})
    return id


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
    return foreign_definition(
        _Opener(gem_id, canonical(config or {}), tuple(imports), answer_limit_s),
        name=gem_id,
        version="gem",
        seed=seed,
        size=size,
        max_turns=max_turns,
    )


@dataclass(frozen=True)
class _Opener:
    """Opens sessions; can travel to other processes."""

    gem_id: str
    config: str
    imports: tuple[str, ...]
    answer_limit_s: float

    def __call__(self) -> _GemSession:
        return _GemSession(_process(self))


@lru_cache(maxsize=8)
def _process(opener: _Opener) -> _GemProcess:
    return _GemProcess(opener)


@dataclass
class _GemSession:
    """One episode in the process; `generation` says in which of those that it was."""

    process: _GemProcess
    number: int = 0
    generation: int = 0

    def reset(self, seed: int) -> str:
        self.number = next(self.process.numbers)
        answer, self.generation = self.process.ask({"do": "reset", "session": self.number, "seed": seed}, None)
        return str(answer["observation"])

    def step(self, text: str) -> Step:
        asked: dict[str, Json] = {"do": "step", "session": self.number, "text": text}
        answer, _ = self.process.ask(asked, self.generation)
        return Step(answer["observation"], answer["reward"], answer["ended"])

    def close(self) -> None:
        try:
            self.process.ask({"do": "close", "session": self.number}, self.generation)
        except MachineryError:  # the process is gone, and the session with it
            return


@dataclass
class _GemProcess:
    """Started when it is first asked, and again after it was ended."""

    opener: _Opener
    numbers: Any = field(default_factory=lambda: count(1))
    _child: subprocess.Popen[bytes] | None = None
    _generation: int = 0
    _unread: bytearray = field(default_factory=bytearray)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, asked: dict[str, Json], generation: int | None) -> tuple[dict[str, Any], int]:
        """The answer, and in which process.

        Raises SessionLost where the process of this generation is gone, MachineryError for what went wrong in it.
        """
        with self._lock:
            if generation is not None and (self._child is None or generation != self._generation):
                raise SessionLost(f"the process of {self.opener.gem_id} was ended")
            if self._child is None:
                self._start()
            return self._exchange(asked, self.opener.answer_limit_s), self._generation

    def _start(self) -> None:
        command = [sys.executable, "-m", "rlenv.integrations.gem_process"]
        settings = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=settings)
        self._generation += 1
        self._unread.clear()
        told = {
            "id": self.opener.gem_id,
            "config": json.loads(self.opener.config),
            "imports": list(self.opener.imports),
        }
        try:
            self._exchange(told, START_LIMIT_S)
        except MachineryError:
            self._end()
            raise

    def _exchange(self, asked: dict[str, Json], limit_s: float) -> dict[str, Any]:
        """Say one line and read one. The process is ended where it gives none."""
        child = cast("subprocess.Popen[bytes]", self._child)
        pipe = cast("Any", child.stdin)
        try:
            pipe.write(json.dumps(asked).encode() + b"\n")
            pipe.flush()
            line = self._line(child, limit_s)
            answer = json.loads(line)
        except (OSError, ValueError) as error:
            self._end()
            raise MachineryError(f"the process of {self.opener.gem_id} is gone: {error}") from error
        if "failed" in answer:
            raise MachineryError(f"{self.opener.gem_id}: {answer['failed']}"[:500])
        return cast("dict[str, Any]", answer)

    def _line(self, child: subprocess.Popen[bytes], limit_s: float) -> bytes:
        """Raises MachineryError beyond the limits, OSError where the process has ended."""
        stream, deadline = cast("Any", child.stdout), time.monotonic() + limit_s
        with selectors.DefaultSelector() as ready:
            ready.register(stream, selectors.EVENT_READ)
            while b"\n" not in self._unread:
                if len(self._unread) > LONGEST or not ready.select(max(0.0, deadline - time.monotonic())):
                    self._end()
                    why = "more than 16 MiB" if len(self._unread) > LONGEST else f"no answer in {limit_s:g} s"
                    raise MachineryError(f"{self.opener.gem_id} gave {why}")
                read = os.read(stream.fileno(), 1 << 16)
                if not read:
                    raise OSError(f"it ended with {child.wait()}")
                self._unread += read
        line, _, rest = bytes(self._unread).partition(b"\n")
        self._unread[:] = rest
        return line

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            for stream in (child.stdin, child.stdout):
                cast("Any", stream).close()
