"""The child process of the pool: loads verifiers, judges one job at a time, answers on its socket.

It ends when its parent does: an idle worker reads the end of its socket, a sleeping one is seen by the
watcher thread, and one that is stuck in C code runs into its CPU limit.
"""

from __future__ import annotations

import math
import os
import resource
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection

import cloudpickle

from rlenv.completion import Completion
from rlenv.task import Task
from rlenv.verifier import Verifier, judge

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Load:
    """Unpickle a verifier and keep it under its key; answered with None or with what went wrong."""

    key: str
    blob: bytes


@dataclass(frozen=True, slots=True)
class Judge:
    """Judge one completion with a loaded verifier; answered with a Verdict."""

    key: str
    task: Task
    completion: Completion
    time_limit_s: float


def main(descriptor: int, memory_mb: int | None) -> None:
    """Serve the pool on an inherited socket until it closes."""
    connection = Connection(descriptor)
    threading.Thread(target=_leave_with_parent, args=(os.getppid(),), daemon=True).start()
    connection.send_bytes(b"ready")
    verifiers: dict[str, Verifier] = {}
    while True:
        try:
            message: Load | Judge = cloudpickle.loads(connection.recv_bytes())
        except EOFError:
            return
        if isinstance(message, Load):
            connection.send_bytes(cloudpickle.dumps(_load(verifiers, message)))
            _limit_memory(memory_mb)
        else:
            _limit_cpu(message.time_limit_s)
            verdict = judge(verifiers[message.key], message.task, message.completion)
            connection.send_bytes(cloudpickle.dumps(verdict))


def _load(verifiers: dict[str, Verifier], message: Load) -> str | None:
    try:
        verifiers[message.key] = cloudpickle.loads(message.blob)
    except Exception as error:  # whatever unpickling user code raises is told to the parent
        return f"{type(error).__name__}: {error}"
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
