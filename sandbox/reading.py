"""Reads what a program said: here where it is short, else in a process of its own, which can be killed.

    found = read(result.sealed_bytes, outcome, task, result)      # what outcome(task, result) returns

Whatever the function does with a hostile value then costs the caller's process a copy of the bytes: the reader has a
limit on its processor time and on its memory, and what runs into one is Unreadable, the program's own failure. The
reader is a fresh interpreter, started when it is first needed and kept; one for each process, for one job at a time.
Functions and arguments travel by pickle, so the function must be importable.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar, cast

from rlenv.sandbox.errors import CellLate, CellLost, SandboxUnavailable, Unreadable
from rlenv.sandbox.launcher import ServerSettings
from rlenv.sandbox.pipes import PipeChannel
from rlenv.sandbox.reading_process import CPU_S, MEMORY_MB, PREFIX, READY
from rlenv.sandbox.report import UNSEALED

T = TypeVar("T")
START_LIMIT_S = 120.0
"""How long an interpreter may take to start and to import what the first function needs."""
LATE_S = 60.0 + START_LIMIT_S
"""By the clock on the wall; the limit on processor time comes first unless the machine stands still."""
_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from rlenv.sandbox.reading_process import serve; "
    "serve(int(sys.argv[2]), int(sys.argv[3]))"
)


def read(size: int, function: Callable[..., T], *arguments: object) -> T:
    """What the function returns; `size` is the length of what a program said among the arguments.

    Raises Unreadable where it takes too much, SandboxUnavailable where no reader can be had.
    """
    return function(*arguments) if size <= UNSEALED else _reader.read(function, *arguments)


class Reader:
    """One process that calls functions. Threads wait for each other."""

    def __init__(self, cpu_s: int = CPU_S, memory_mb: int = MEMORY_MB) -> None:
        self.cpu_s, self.memory_mb = cpu_s, memory_mb
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: PipeChannel | None = None

    def read(self, function: Callable[..., T], *arguments: object) -> T:
        """What the function returns there. Raises Unreadable, SandboxUnavailable; RuntimeError for what it raises."""
        message = pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL)
        with self._lock:
            try:
                kind, value = self._asked_twice(PREFIX.pack(len(message)) + message)
            except BaseException:  # interrupted, or given up: it may be in the middle of something
                self._drop()
                raise
            if kind == "memory":  # it ends by itself
                self._drop()
                raise Unreadable("more memory than may be had for reading it")
        if kind == "raised":
            raise RuntimeError(f"reading an answer: {value}")
        return cast("T", value)

    def _asked_twice(self, message: bytes) -> tuple[str, object]:
        """The machine may have taken the first reader; the second one tells."""
        for last in (False, True):
            channel = self._started()
            try:
                return self._asked(channel, message)
            except CellLost as lost:
                late = isinstance(lost, CellLate)
                if self._drop() == -signal.SIGXCPU:
                    raise Unreadable(f"more than {self.cpu_s} s of processor time for reading it") from None
                if last and late:
                    raise SandboxUnavailable(f"no answer was read in {LATE_S:.0f} s: is the machine at work?") from None
        raise Unreadable("the process that reads it ended twice")

    def _asked(self, channel: PipeChannel, message: bytes) -> tuple[str, object]:
        deadline = time.monotonic() + LATE_S
        channel.write(message, deadline)
        (size,) = PREFIX.unpack(channel.read(PREFIX.size, deadline))
        return cast("tuple[str, object]", pickle.loads(channel.read(size, deadline)))

    def _started(self) -> PipeChannel:
        if self._channel is not None:
            return self._channel
        words = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, json.dumps(sys.path), str(self.cpu_s), str(self.memory_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=words,
            start_new_session=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            bufsize=0,
        )
        self._channel = PipeChannel(self._process, words, ServerSettings())
        try:
            if self._channel.read(len(READY), time.monotonic() + START_LIMIT_S) == READY:
                return self._channel
            problem = "it sent no greeting"
        except CellLost as lost:
            problem = f"{lost} {self._channel.messages()[-1000:]}"
        raise SandboxUnavailable(f"the process that reads long answers does not start: {problem}")

    def _drop(self) -> int | None:
        """End the process; its exit code."""
        if self._channel is None or self._process is None:
            return None
        with suppress(subprocess.TimeoutExpired):  # one that has ended tells how; else it is killed
            self._process.wait(0.1)
        self._process.kill()
        self._channel.close()
        self._channel = None
        return self._process.returncode

    def close(self) -> None:
        """End the process; the next answer starts another."""
        with self._lock:
            self._drop()

    def abandon(self) -> None:
        """In a forked child: the process belongs to the parent."""
        self._lock = threading.Lock()
        if self._channel is not None:
            self._channel.abandon()
        self._channel = self._process = None


def kept(reader: Reader) -> Reader:
    """A reader that lives as long as this process."""
    atexit.register(reader.close)
    os.register_at_fork(after_in_child=reader.abandon)
    return reader


_reader = kept(Reader())
