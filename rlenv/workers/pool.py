"""A pool of warm processes that can be killed, for verifiers that a completion can make expensive.

Every job has its own deadline, which starts when the job starts. A worker past it is killed and replaced;
the job is tried once more on a new one, and a second time past the limit is the completion's doing:
graded 0 and flagged. A worker that dies is the machinery's doing: one more try, then verifier_error.

No signals are used, so the pool serves any thread, an event loop (`await asyncio.to_thread(...)`) and the
tasks of Ray alike. Threads share the workers message by message; none waits for another's whole batch.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import cloudpickle

from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import Verifier
from rlenv.workers.dispatch import Call, Staff
from rlenv.workers.protocol import Job

if TYPE_CHECKING:
    from rlenv.core.completion import Completion
    from rlenv.core.interaction import Interaction, Reply
    from rlenv.core.jsontypes import Json

DEFAULT_MEMORY_MB = 2048
OnVerdict: TypeAlias = Callable[[int, Verdict], None]
"""Called with the index and the verdict of each job as it is answered."""


@dataclass(frozen=True, slots=True)
class PickledVerifier:
    """A verifier ready to travel; pickled once, sent to each worker once."""

    key: str
    blob: bytes
    version: str = ""
    """Of the verifier, so that another machine can say that its code is another one."""

    @classmethod
    def of(cls, verifier: Verifier | Interaction) -> PickledVerifier:
        """Raises VerifierContractError when the verifier (or interaction) holds what cannot be pickled."""
        try:
            blob = cloudpickle.dumps(verifier)
        except Exception as error:  # cloudpickle raises what the object's own __reduce__ raises
            raise VerifierContractError(
                f"the verifier cannot be sent to a worker process ({error}); "
                "let it hold plain data, or register it with cheap=True to run it inline"
            ) from error
        version = str(getattr(verifier, "version", ""))
        return cls(hashlib.blake2b(blob, digest_size=8).hexdigest(), blob, version)


class Pool(Protocol):
    """What judges in other processes: a WorkerPool on this machine, a `rlenv.cluster.pool.RayPool` on many."""

    def judge_all(
        self,
        verifier: PickledVerifier,
        jobs: Sequence[Job],
        time_limit_s: float,
        on_verdict: OnVerdict | None = None,
    ) -> list[Verdict]:
        """One verdict a job, in order; `on_verdict` hears of each as it is answered."""

    def close(self) -> None:
        """End its processes, once nobody waits for a verdict."""


@runtime_checkable
class FarPool(Pool, Protocol):
    """A pool on other machines: what declares itself `anywhere` goes there too.

    That is a verifier that isolates by itself (programs) and whose verdicts do not depend on each other, and an
    interaction that costs.
    """

    def respond_all(
        self, interaction: Interaction, turns: Sequence[tuple[Json, Completion]], homes: Sequence[int]
    ) -> Sequence[Reply | Exception]:
        """The reply to each turn; equal homes are answered on one machine while it lives."""


def anywhere(judge: object) -> bool:
    """Whether a verifier that isolates by itself, or an interaction, may work on another machine."""
    return getattr(judge, "anywhere", False) is True


class WorkerPool:
    """Judges jobs in `workers` processes (default: one a core), started when first needed.

    Use it as a context manager or close() it. `restarts` counts the workers that had to be replaced. Threads share the
    workers; each does the work of its own call.
    """

    def __init__(self, workers: int | None = None, *, memory_mb: int | None = DEFAULT_MEMORY_MB) -> None:
        self.size = workers or os.cpu_count() or 1
        if self.size < 1:
            raise ConfigError(f"expected at least 1 worker, got {workers}")
        self.memory_mb = memory_mb
        self._staff = Staff(self.size, memory_mb)
        _pools.add(self)

    @property
    def restarts(self) -> int:
        return self._staff.replaced

    @property
    def running(self) -> int:
        """How many worker processes there are."""
        return len(self._staff.workers)

    def judge_all(
        self,
        verifier: PickledVerifier,
        jobs: Sequence[Job],
        time_limit_s: float,
        on_verdict: OnVerdict | None = None,
    ) -> list[Verdict]:
        """One verdict a job, in order; `on_verdict(index, verdict)` hears of each as it is answered.

        Blocks; other threads may ask at the same time. Raises VerifierContractError when no worker can load
        the verifier.
        """
        if not jobs:
            return []
        return Call(self._staff, verifier.key, verifier.blob, jobs, time_limit_s).judge(on_verdict)

    def close(self) -> None:
        """End the worker processes, once nobody waits for a verdict; the pool opens again when it is asked."""
        self._staff.close()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _abandon(self) -> None:
        self._staff.abandon()


_pools: weakref.WeakSet[WorkerPool] = weakref.WeakSet()
_shared: Pool | None = None
_shared_lock = threading.Lock()


def shared_pool() -> Pool:
    """The pool of this process, made when first asked for and closed at exit."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = WorkerPool()
            atexit.register(_shared.close)
        return _shared


def share(pool: Pool | None) -> None:
    """Let this be the pool of this process, for all that names none; what was it is closed. None: a local one again."""
    global _shared
    with _shared_lock:
        before, _shared = _shared, pool
        if pool is not None:
            atexit.register(pool.close)
    if before is not None and before is not pool:
        atexit.unregister(before.close)
        before.close()


def _forget_after_fork() -> None:
    global _shared, _shared_lock
    _shared_lock = threading.Lock()
    for pool in _pools:
        pool._abandon()
    if _shared is not None:
        atexit.unregister(_shared.close)
        _shared = None


os.register_at_fork(after_in_child=_forget_after_fork)
