"""A pool of warm processes that can be killed, for verifiers that a completion can make expensive.

Every job has its own deadline, which starts when the job starts. A worker past it is killed and replaced;
the job is tried once more on a fresh one, and a second time past the limit is the completion's doing:
graded 0 and flagged. A worker that dies is the machinery's doing: one more try, then verifier_error.
No signals are used, so the pool serves any thread.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Literal, TypeAlias, cast

import cloudpickle

from rlenv.completion import Completion
from rlenv.errors import ConfigError, VerifierContractError
from rlenv.task import Task
from rlenv.verdict import Verdict
from rlenv.verifier import Verifier, over_limit
from rlenv.worker import Judge, Load

Job: TypeAlias = "tuple[Task, Completion]"
START_LIMIT_S = 120.0
"""How long a worker may take to start and to import what its verifier needs."""
DEFAULT_MEMORY_MB = 2048
_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from rlenv.worker import main; main(int(sys.argv[2]), json.loads(sys.argv[3]))"
)


@dataclass(frozen=True, slots=True)
class PickledVerifier:
    """A verifier ready to travel; pickled once, sent to each worker once."""

    key: str
    blob: bytes

    @classmethod
    def of(cls, verifier: Verifier) -> PickledVerifier:
        """Raises VerifierContractError when the verifier holds what cannot be pickled."""
        try:
            blob = cloudpickle.dumps(verifier)
        except Exception as error:  # cloudpickle raises what the object's own __reduce__ raises
            raise VerifierContractError(
                f"the verifier cannot be sent to a worker process ({error}); "
                "let it hold plain data, or register it with cheap=True to run it inline"
            ) from error
        return cls(hashlib.blake2b(blob, digest_size=8).hexdigest(), blob)


@dataclass(eq=False)
class _Worker:
    """One child process with the verifier it serves and the job it is at."""

    process: subprocess.Popen[bytes]
    connection: Connection
    state: Literal["starting", "loading", "idle", "busy"] = "starting"
    verifier_keys: set[str] = field(default_factory=set)
    loading: str = ""
    job: int = -1
    deadline: float = field(default_factory=lambda: time.monotonic() + START_LIMIT_S)

    def kill(self) -> None:
        self.connection.close()
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, 9)
        self.process.wait()


class WorkerPool:
    """Judges jobs in `workers` processes (default: one a core), started when first needed.

    Use it as a context manager or close() it. `restarts` counts the workers that had to be replaced.
    """

    def __init__(self, workers: int | None = None, *, memory_mb: int | None = DEFAULT_MEMORY_MB) -> None:
        self.size = workers or os.cpu_count() or 1
        if self.size < 1:
            raise ConfigError(f"expected at least 1 worker, got {workers}")
        self.memory_mb = memory_mb
        self.restarts = 0
        self._workers: list[_Worker] = []
        self._lock = threading.Lock()
        _pools.add(self)

    def judge_all(
        self,
        verifier: PickledVerifier,
        jobs: Sequence[Job],
        time_limit_s: float,
        on_verdict: Callable[[int, Verdict], None] | None = None,
    ) -> list[Verdict]:
        """One verdict a job, in order; `on_verdict(index, verdict)` hears of each as it is answered.

        Blocks; other threads wait their turn. Raises VerifierContractError when no worker can load the
        verifier.
        """
        if not jobs:
            return []
        with self._lock:
            return _Round(self, verifier, jobs, time_limit_s, on_verdict).run()

    def close(self) -> None:
        with self._lock:
            for worker in self._workers:
                worker.kill()
            self._workers.clear()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _start(self) -> _Worker:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-c", _BOOT, json.dumps(sys.path), str(theirs.fileno()), json.dumps(self.memory_mb)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        worker = _Worker(process, Connection(ours.detach()))
        self._workers.append(worker)
        return worker

    def _drop(self, worker: _Worker) -> None:
        worker.kill()
        self._workers.remove(worker)

    def _abandon(self) -> None:
        """In a forked child: the workers belong to the parent, only our ends of the sockets are closed."""
        for worker in self._workers:
            worker.connection.close()
            worker.process.returncode = 0  # not our child: nothing to wait for
        self._workers.clear()
        self._lock = threading.Lock()


class _Round:
    """One call of judge_all: hands out jobs, waits for answers and deadlines, retries once."""

    def __init__(
        self,
        pool: WorkerPool,
        verifier: PickledVerifier,
        jobs: Sequence[Job],
        time_limit_s: float,
        on_verdict: Callable[[int, Verdict], None] | None,
    ) -> None:
        self.pool, self.key, self.blob = pool, verifier.key, verifier.blob
        self.jobs, self.time_limit_s, self.on_verdict = jobs, time_limit_s, on_verdict
        self.waiting = deque(range(len(jobs)))
        self.verdicts: list[Verdict | None] = [None] * len(jobs)
        self.unanswered = len(jobs)
        self.retried: set[int] = set()
        self.failed_starts = 0

    def run(self) -> list[Verdict]:
        try:
            while self.unanswered:
                self._staff()
                self._listen()
        except BaseException:
            for worker in [w for w in self.pool._workers if w.state != "idle"]:
                self.pool._drop(worker)
            raise
        return [verdict for verdict in self.verdicts if verdict is not None]

    def _staff(self) -> None:
        """Give waiting jobs to idle workers; start workers while there are more jobs than workers."""
        for worker in [w for w in self.pool._workers if w.state == "idle"]:
            if not self.waiting:
                return
            if self.key in worker.verifier_keys:
                self._give(worker)
            else:
                self._load(worker)
        coming = sum(w.state in ("starting", "loading") for w in self.pool._workers)
        while len(self.pool._workers) < self.pool.size and coming < len(self.waiting):
            self.pool._start()
            coming += 1

    def _give(self, worker: _Worker) -> None:
        index = self.waiting.popleft()
        worker.state, worker.job = "busy", index
        worker.deadline = time.monotonic() + self.time_limit_s
        task, completion = self.jobs[index]
        self._send(worker, Judge(self.key, task, completion, self.time_limit_s))

    def _load(self, worker: _Worker) -> None:
        worker.state, worker.loading = "loading", self.key
        worker.deadline = time.monotonic() + START_LIMIT_S
        self._send(worker, Load(self.key, self.blob))

    @staticmethod
    def _send(worker: _Worker, message: Load | Judge) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # _listen sees the closed end
            worker.connection.send_bytes(cloudpickle.dumps(message))

    def _listen(self) -> None:
        """Wait for the next answer or deadline and act on it."""
        active = {w.connection: w for w in self.pool._workers if w.state != "idle"}
        patience = min(w.deadline for w in active.values()) - time.monotonic()
        for connection in wait(list(active), timeout=max(0.0, patience)):
            worker = active.pop(cast("Connection", connection))
            try:
                message = worker.connection.recv_bytes()
            except (EOFError, OSError):
                self._lost(worker)
            else:
                self._heard(worker, message)
        now = time.monotonic()
        for worker in active.values():
            if worker.deadline <= now:
                self._late(worker)

    def _heard(self, worker: _Worker, message: bytes) -> None:
        if worker.state == "starting":
            self._load(worker)
        elif worker.state == "loading":
            problem = cloudpickle.loads(message)
            worker.state = "idle"
            if problem is None:
                worker.verifier_keys.add(worker.loading)
            elif worker.loading == self.key:  # else an earlier round asked for it, and ended without it
                raise VerifierContractError(
                    f"the verifier cannot be loaded in a worker process: {problem}; "
                    "make it importable there, or register it with cheap=True to run it inline"
                )
        else:
            verdict: Verdict = cloudpickle.loads(message)
            index, worker.state = worker.job, "idle"
            if any(flag.name == "over_limit" and flag.detail == "MemoryError" for flag in verdict.flags):
                self._replace(worker)
                if self._again(index):
                    return
            self._answer(index, verdict)

    def _late(self, worker: _Worker) -> None:
        if worker.state != "busy":
            self._lost(worker)
            return
        self._replace(worker)
        if not self._again(worker.job):
            self._answer(worker.job, over_limit(f"{self.time_limit_s:g} s"))

    def _lost(self, worker: _Worker) -> None:
        self._replace(worker)
        if worker.state != "busy":
            self.failed_starts += 1
            if self.failed_starts > 2 * self.pool.size:
                raise VerifierContractError(
                    "worker processes die before they can judge; see their messages above "
                    f"(exit code {worker.process.returncode})"
                )
        elif not self._again(worker.job):
            code = worker.process.returncode
            self._answer(worker.job, Verdict.error(f"the worker process was lost twice (exit code {code})"))

    def _answer(self, index: int, verdict: Verdict) -> None:
        self.verdicts[index] = verdict
        self.unanswered -= 1
        if self.on_verdict is not None:
            self.on_verdict(index, verdict)

    def _replace(self, worker: _Worker) -> None:
        self.pool._drop(worker)
        self.pool.restarts += 1

    def _again(self, index: int) -> bool:
        """Queue the job once more, the first time that it fails."""
        if index in self.retried:
            return False
        self.retried.add(index)
        self.waiting.appendleft(index)
        return True


_pools: weakref.WeakSet[WorkerPool] = weakref.WeakSet()
_shared: WorkerPool | None = None
_shared_lock = threading.Lock()


def shared_pool() -> WorkerPool:
    """The pool of this process, made when first asked for and closed at exit."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = WorkerPool()
            atexit.register(_shared.close)
        return _shared


def _forget_after_fork() -> None:
    global _shared, _shared_lock
    _shared_lock = threading.Lock()
    for pool in _pools:
        pool._abandon()
    if _shared is not None:
        atexit.unregister(_shared.close)
        _shared = None


os.register_at_fork(after_in_child=_forget_after_fork)
