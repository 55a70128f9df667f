"""The parent's side of one worker: the process, its socket, and what it is at."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, Protocol

from rlenv.workers.fork_server import ForkServer
from rlenv.workers.frames import Frames
from rlenv.workers.pending_jobs import Round
from rlenv.workers.protocol import HEAD, MAX_ANSWER_BYTES
from rlenv.workers.worker_groups import keepers_work

START_LIMIT_S = 120.0
"""How long a worker may take to start and to import what its verifier needs."""
SEND_LIMIT_S = 10.0
"""How long a worker may leave a message unread: one that is stopped would hold up all others."""
_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from rlenv.workers.worker import main; main(int(sys.argv[2]), json.loads(sys.argv[3]))"
)


class WorkerProcess(Protocol):
    """A process that can be ended."""

    @property
    def exit_code(self) -> int:
        """Known once it has ended."""

    def end(self) -> None:
        """Kill it, with all that it has started where the system allows."""

    def abandon(self) -> None:
        """In a forked child: it belongs to the parent."""


@dataclass(eq=False)
class Worker:
    """One child process, the verifiers it holds, and the jobs it has not answered."""

    process: WorkerProcess
    frames: Frames
    state: Literal["starting", "loading", "idle", "busy"] = "starting"
    keys: set[str] = field(default_factory=set)
    loading: str = ""
    new: bool = True
    round: Round | None = None
    jobs: deque[int] = field(default_factory=deque)
    ticket: int = 0
    """Of the last message; answers carry it."""
    place: int = 0
    """Of the job under way, in that message."""
    deadline: float = field(default_factory=lambda: time.monotonic() + START_LIMIT_S)
    heard_at: float = 0.0

    def draw_ticket(self) -> int:
        """One that no earlier answer carries and nobody can guess."""
        self.ticket, self.place = secrets.randbits(64), 0
        return self.ticket

    def send(self, message: bytes, limit_s: float) -> None:
        self.heard_at = time.monotonic()
        self.deadline = self.heard_at + limit_s
        # The closed end is seen when it is read; what is not read runs into its deadline.
        with suppress(BrokenPipeError, ConnectionResetError, TimeoutError):
            self.frames.send(message)

    def kill(self) -> None:
        self.frames.close()
        self.process.end()

    def abandon(self) -> None:
        """In a forked child: close our copies."""
        self.frames.close()
        self.process.abandon()


class WorkerSource:
    """Starts workers: forked by a server and ended with all that they have started, where the system allows."""

    def __init__(self, memory_mb: int | None) -> None:
        self._memory_mb = memory_mb
        self._server: ForkServer | None = None

    def start(self) -> Worker:
        process, end = self._forked() if keepers_work() else _start_alone(self._memory_mb)
        end.settimeout(SEND_LIMIT_S)
        return Worker(process, Frames(end, longest=HEAD.size + MAX_ANSWER_BYTES))

    def _forked(self) -> tuple[WorkerProcess, socket.socket]:
        if self._server is None or not self._server.alive:
            self.close()
            self._server = ForkServer(self._memory_mb)
        return self._server.start()

    def close(self) -> None:
        """End the server, and whatever may be left of its workers."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def abandon(self) -> None:
        """In a forked child: the server belongs to the parent."""
        if self._server is not None:
            self._server.abandon()
            self._server = None


class LoneProcess:
    """A worker in a process group of its own, which is all that ends with it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.exit_code = 0

    def end(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, 9)
        self.exit_code = self._process.wait()

    def abandon(self) -> None:
        self._process.returncode = 0  # not our child: nothing to wait for


def _start_alone(memory_mb: int | None) -> tuple[WorkerProcess, socket.socket]:
    """A fresh interpreter in a session of its own, with nothing of ours but one end of a socket."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, json.dumps(sys.path), str(theirs.fileno()), json.dumps(memory_mb)],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
    return LoneProcess(process), ours
