"""Boxes that are none: commands run on this machine, each in a folder of its own. For harnesses that are ours alone."""

from __future__ import annotations

import io
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from rlenv.core.completion import Completion
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, prompt_text


class LocalPipe:
    """A process and its streams."""

    def __init__(self, command: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, bufsize=0)

    def send(self, data: bytes, deadline: float) -> None:
        assert self._process.stdin is not None
        while data:
            data = data[self._process.stdin.write(data) :]

    def pieces(self, deadline: float, look: Callable[[], None]) -> Iterator[tuple[int, bytes]]:
        assert self._process.stdout is not None
        while piece := self._process.stdout.read(1 << 16):
            yield 1, piece

    def close(self) -> None:
        self._process.kill()
        with self._process:
            pass


class LocalRan(NamedTuple):
    exit_code: int | None
    output: str


@dataclass
class LocalBox:
    folder: Path
    python: str = sys.executable

    def run(self, command: str, *, timeout_s: float, env: Mapping[str, str], fresh: bool) -> LocalRan:
        own = {"PATH": os.environ["PATH"], **env}
        pipe = subprocess.PIPE
        started = subprocess.Popen(
            command, shell=True, cwd=self.folder, env=own, stdout=pipe, stderr=subprocess.STDOUT, start_new_session=True
        )
        with started:
            try:
                return LocalRan(started.wait(timeout_s), (started.stdout or io.BytesIO()).read().decode())
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, signal.SIGKILL)
                return LocalRan(None, "")

    def process(self, command: Sequence[str]) -> LocalPipe:
        return LocalPipe([self.python, *command[1:]])


class LocalBench(NamedTuple):
    box: LocalBox
    until: float


@dataclass
class LocalWorkplace:
    """Keeps by its mark what an episode left in the file `answer`."""

    folder: Path
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Of an episode, by its prompt; 60 for others."""
    python: str = sys.executable
    answers: dict[str, str] = field(default_factory=dict)
    tools = ()

    def start(self, task: Task) -> Json:
        return {"shared": {"mark": secrets.token_hex(4), "prompt": prompt_text(task.prompt)}}

    def respond(self, state: Json, said: Completion) -> Reply:
        raise NotImplementedError

    def _place(self, shared: Mapping[str, Json]) -> Path:
        return self.folder / str(shared["mark"])

    def bench(self, state: dict[str, Json]) -> LocalBench:
        self._place(state).mkdir()
        return LocalBench(
            LocalBox(self._place(state), self.python), time.monotonic() + self.seconds.get(str(state["prompt"]), 60.0)
        )

    def close(self, state: Json) -> None:
        answer = self._place(state["shared"]) / "answer"  # type: ignore[index,call-overload,arg-type]
        self.answers[answer.parent.name] = answer.read_text() if answer.exists() else ""

    def kept(self, state: Json) -> str:
        return str(state["shared"]["mark"])  # type: ignore[index,call-overload]
