"""The child process of the pool: loads verifiers, judges one job after another, answers on its socket.

Only this process answers: a child that a verifier forks finds the socket closed, and ends where it would go on as a
worker. Answers are plain data, named by job (protocol.py).
"""

from __future__ import annotations

import math
import os
import resource
import socket
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import cloudpickle

from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import Verifier, judge
from rlenv.workers.frames import Frames
from rlenv.workers.protocol import written, written_verdict

MEGABYTE = 1024 * 1024
PROBLEM_CHARS = 10_000
"""How much of why a verifier cannot be loaded is told."""


class Load(NamedTuple):
    """Unpickle a verifier and keep it under its key; answered with None or with what went wrong."""

    ticket: int
    key: str
    blob: bytes
    path: Sequence[str]
    """Where the pool's process looks for modules by now: it may have grown since the worker was started."""


class Judge(NamedTuple):
    """Judge completions one after another; each is answered with a Verdict as soon as it is judged."""

    ticket: int
    key: str
    jobs: Sequence[tuple[Task, Completion]]
    time_limit_s: float


def main(descriptor: int, memory_mb: int | None) -> None:
    """Serve the pool on an inherited socket until it closes.

    Nobody ends this process but the pool, so it leaves when its parent does: an idle worker reads the end of its
    socket, a sleeping one is seen by the watcher thread, and one that is stuck in C code runs into its CPU limit.
    """
    threading.Thread(target=_leave_with_parent, args=(os.getppid(),), daemon=True).start()
    serve(socket.socket(fileno=descriptor), memory_mb)


def serve(end: socket.socket, memory_mb: int | None) -> None:
    """Answer on this socket until it closes, or until the memory ran out."""
    end.set_inheritable(False)
    frames = Frames(end)
    os.register_at_fork(after_in_child=frames.close)
    with suppress(BrokenPipeError, ConnectionResetError):  # the pool has closed
        _serve(frames, memory_mb)


def _serve(frames: Frames, memory_mb: int | None) -> None:
    own, verifiers = os.getpid(), dict[str, Verifier]()
    frames.send(b"ready")
    while (messages := frames.receive()) is not None:
        for data in messages:
            message: Load | Judge = cloudpickle.loads(data)
            if isinstance(message, Load):
                problem = _load(verifiers, message)
                _leave_unless(own)
                frames.send(written(message.ticket, 0, problem))
                _limit_memory(memory_mb)
            elif not _judge(verifiers[message.key], message, frames, own):
                return


def out_of_memory(verdict: Verdict) -> bool:
    """True where the memory limit decided: the process that ran into it is not used again."""
    return any(flag.name == "over_limit" and flag.detail == "MemoryError" for flag in verdict.flags)


def _judge(verifier: Verifier, message: Judge, frames: Frames, own: int) -> bool:
    """False when the memory ran out: what is left of the message is another process's work."""
    for place, (task, completion) in enumerate(message.jobs):
        _limit_cpu(message.time_limit_s)
        verdict = judge(verifier, task, completion)
        _leave_unless(own)
        frames.send(written_verdict(message.ticket, place, verdict))
        if out_of_memory(verdict):
            return False
    return True


def _leave_unless(own: int) -> None:
    """A child that the verifier forked and that returned from it is no worker."""
    if os.getpid() != own:
        os._exit(0)


def _load(verifiers: dict[str, Verifier], message: Load) -> str | None:
    sys.path[:] = message.path
    try:
        verifiers[message.key] = cloudpickle.loads(message.blob)
    except Exception as error:  # whatever unpickling user code raises is told to the parent
        return f"{type(error).__name__}: {error}"[:PROBLEM_CHARS]
    return None


def _limit_memory(memory_mb: int | None) -> None:
    """Allow this much address space beyond what is mapped now, so that a greedy job gets MemoryError."""
    if memory_mb is None:
        return
    try:
        with open("/proc/self/statm") as statm:
            mapped = int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:  # not Linux: count from zero
        mapped = 0
    limit = mapped + memory_mb * MEGABYTE
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_below(limit, hard), hard))


def _limit_cpu(time_limit_s: float) -> None:
    used = time.process_time()
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = math.ceil(used + 2 * time_limit_s + 5)
    resource.setrlimit(resource.RLIMIT_CPU, (_below(limit, hard), hard))


def _below(limit: int, hard: int) -> int:
    return limit if hard == resource.RLIM_INFINITY else min(limit, hard)


def _leave_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)
