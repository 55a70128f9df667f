"""One worker process as its pool sees it: started, sent orders, heard, ended."""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from rlenv.workers.protocol import HEAD, MAX_ANSWER_BYTES, Frames
from rlenv.workers.worker_process import keepers_work

START_LIMIT_S = 120.0
"""How long a worker may take to start and to import what its verifier needs."""
SEND_LIMIT_S = 10.0
"""How long a worker may leave a message unread: one that is stopped would hold up all others."""


class KeptProcess:
    """A worker that ends with all that it has started: its keeper sees to it, as soon as `control` closes."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self.exit_code = -signal.SIGKILL
        """Of a worker that had ended by itself; else that of a killed one."""

    def end(self) -> None:
        """Have it killed, with all that it has started; nobody waits for that but `WorkerSource.close`."""
        with self._control, suppress(OSError, ValueError):
            self.exit_code = int(self._control.recv(16, socket.MSG_DONTWAIT))

    def abandon(self) -> None:
        """In a forked child: it belongs to the parent."""
        self._control.close()


class LoneProcess:
    """A worker in a process group of its own, which is all that ends with it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.exit_code = 0

    def end(self) -> None:
        """Kill the group."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self.exit_code = self._process.wait()

    def abandon(self) -> None:
        """In a forked child: not our child, nothing to wait for."""
        self._process.returncode = 0


@dataclass(eq=False)
class Worker:
    """One child process, the verifiers it holds, and the jobs it has not answered."""

    process: KeptProcess | LoneProcess
    frames: Frames
    state: Literal["starting", "loading", "idle", "busy"] = "starting"
    keys: set[str] = field(default_factory=set)
    loading: str = ""
    new: bool = True
    """It has judged nothing yet."""
    jobs: deque[int] = field(default_factory=deque)
    ticket: int = 0
    """Of the last order; answers carry it."""
    place: int = 0
    """Of the job under way, in that order."""
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

    def speaks(self) -> bool:
        """Whether there is something to read: of an idle worker, its end or what nobody asked for."""
        poll = select.poll()
        poll.register(self.frames, select.POLLIN)
        return bool(poll.poll(0))

    def holds(self, key: str) -> bool:
        """Whether it has a verifier, or is loading it."""
        return key in self.keys or (self.state == "loading" and self.loading == key)

    def kill(self) -> None:
        self.frames.close()
        self.process.end()

    def abandon(self) -> None:
        """In a forked child: close our copies."""
        self.frames.close()
        self.process.abandon()


class WorkerSource:
    """Starts workers: forked by a server that has everything imported, where the system allows; else each by itself."""

    def __init__(self, memory_mb: int | None) -> None:
        self._memory_mb = memory_mb
        self._server: tuple[subprocess.Popen[bytes], socket.socket] | None = None

    def start(self) -> Worker:
        """A new one; where the server has just died, its socket is at its end."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = self._forked(theirs) if keepers_work() else LoneProcess(self._python("run_alone", theirs))
        ours.settimeout(SEND_LIMIT_S)
        return Worker(process, Frames(ours, longest=HEAD.size + MAX_ANSWER_BYTES))

    def close(self) -> None:
        """End the server, and whatever may be left of its workers."""
        if self._server is not None:
            process, requests = self._server
            requests.close()
            process.wait()
            self._server = None

    def abandon(self) -> None:
        """In a forked child: the server belongs to the parent."""
        if self._server is not None:
            process, requests = self._server
            requests.close()
            process.returncode = 0
            self._server = None

    def _forked(self, theirs: socket.socket) -> KeptProcess:
        if self._server is not None and self._server[0].poll() is not None:
            self.close()
        if self._server is None:
            requests, end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with end:
                self._server = self._python("fork_workers", end), requests
        control, kept = socket.socketpair()
        with kept, suppress(BrokenPipeError, ConnectionResetError):
            socket.send_fds(self._server[1], [b"start"], [theirs.fileno(), kept.fileno()])
        return KeptProcess(control)

    def _python(self, function: str, end: socket.socket) -> subprocess.Popen[bytes]:
        """A fresh interpreter in a session of its own, with nothing of ours but one end of a socket."""
        boot = (
            "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from rlenv.workers import worker_process; "
            f"worker_process.{function}(int(sys.argv[2]), json.loads(sys.argv[3]))"
        )
        return subprocess.Popen(
            [sys.executable, "-c", boot, json.dumps(sys.path), str(end.fileno()), json.dumps(self._memory_mb)],
            pass_fds=[end.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
