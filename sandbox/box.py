"""Opens a sandbox and runs programs in it.

>>> with open_sandbox("namespaces") as box:  # doctest: +SKIP
...     box.run(Program("print(int(input()) * 2)", stdin="21")).stdout
b'42\\n'
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rlenv.sandbox import choose
from rlenv.sandbox.errors import SandboxUsageError
from rlenv.sandbox.execution import SessionLimits
from rlenv.sandbox.launcher import CellSettings, Launcher
from rlenv.sandbox.pool import Counts, Pool
from rlenv.sandbox.program import Limits, Program, Result
from rlenv.sandbox.session import Session
from rlenv.sandbox.session_cells import SessionCells

if TYPE_CHECKING:
    from rlenv.sandbox.probe import Guarantees

_pools: weakref.WeakSet[Pool] = weakref.WeakSet()
_session_cells: weakref.WeakSet[SessionCells] = weakref.WeakSet()


class Sandbox:
    """Runs programs in isolated cells. A context manager; any number of threads may use it at once."""

    def __init__(
        self,
        launcher: Launcher,
        settings: CellSettings | None = None,
        cells: int | None = None,
        guarantees: Guarantees | None = None,
    ) -> None:
        self.backend = launcher.name
        self.guarantees = guarantees
        """What was tried of the backend, and held; None where nothing was tried."""
        self.settings = settings or CellSettings()
        self._pool = Pool(launcher, self.settings, cells)
        _pools.add(self._pool)
        self._session_cells = SessionCells(self._pool)
        _session_cells.add(self._session_cells)
        self._closing = weakref.finalize(
            self, _close, self._pool, self._session_cells
        )  # also when the interpreter ends
        try:
            self._pool.start_one()
        except BaseException:
            self.close()
            raise

    @property
    def cells(self) -> int:
        """How many programs run at once."""
        return self._pool.size

    @property
    def closed(self) -> bool:
        """It runs nothing any more."""
        return not self._closing.alive

    @property
    def counts(self) -> Counts:
        """What was done so far."""
        return self._pool.counts

    def greeting(self) -> Mapping[str, object]:
        """What the fork server of a cell says of itself. Raises SandboxUnavailable where none starts."""
        return self._pool.start_one().hello

    def run(self, program: Program, limits: Limits | None = None) -> Result:
        """Run one program. Never raises for what it does. Raises SandboxUsageError for limits beyond the cell's."""
        limits = self._checked(limits)
        with self._pool.slot() as slot:
            return slot.run(program, limits)

    def map(
        self,
        programs: Sequence[Program],
        limits: Limits | None = None,
        on_result: Callable[[int, Result], None] | None = None,
    ) -> list[Result]:
        """Run programs in all cells at once; results in the order of the programs. `on_result(index, result)` hears of
        each as it ends, in any order and from several threads."""
        limits = self._checked(limits)
        return _Round(self, programs, limits, on_result).run()

    def run_pair(self, judge: Program, candidate: Program, limits: Limits | None = None) -> tuple[Result, Result]:
        """Run `judge` in one cell and `candidate` in another; the results of both, in this order.

        The judge's code finds `call(function, *args, **kwargs)`, which has the candidate's function called and
        returns plain data, `report(value)`, whose values stand in its result, and the exceptions `CandidateRaised`
        (with `error`, the name of what the function raised) and `CandidateFailed` (the candidate is no more).
        `limits` hold for each of the two; the judge may run a second longer.
        """
        limits = self._checked(limits)
        if candidate.argv or judge.argv or candidate.calls or judge.calls:
            raise SandboxUsageError("expected two programs of Python code without calls")
        with self._pool.slot() as slot:
            return slot.run_pair(judge, candidate, limits)

    def session(self, limits: SessionLimits | None = None) -> Session:
        """Open a session: snippets of Python that share one namespace, as the cells of a notebook do.

        Any number may be open at once, each in a cell of its own beside those of `run`; as many calls run at once as
        the sandbox has cells. Raises SandboxUsageError for limits beyond the cell's, SandboxUnavailable where no cell
        starts.

        >>> with box.session() as session:  # doctest: +SKIP
        ...     session.run("x = 20"), session.run("x + 1").value
        """
        limits = limits or SessionLimits()
        self._check(limits, self.settings.sessions)
        return self._session_cells.open(limits)

    def close(self) -> None:
        """Kill all cells. Waits for nothing that runs in them."""
        self._closing()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _checked(self, limits: Limits | None) -> Limits:
        limits = limits or Limits()
        self._check(limits)
        return limits

    def _check(self, limits: Limits | SessionLimits, sessions: int = 1) -> None:
        for name in ("memory_mb", "processes"):
            most = getattr(self.settings, name) // sessions
            if getattr(limits, name) > most:
                shared = f", shared by {sessions} sessions" if sessions > 1 else ""
                raise SandboxUsageError(
                    f"expected {name} up to {most}, what the cells were opened with{shared}, "
                    f"got {getattr(limits, name)}; "
                    f"open the sandbox with a larger {name}"
                )


class _Round:
    """One call of map: threads that take the next program until none is left."""

    def __init__(
        self,
        sandbox: Sandbox,
        programs: Sequence[Program],
        limits: Limits,
        on_result: Callable[[int, Result], None] | None,
    ) -> None:
        self._sandbox, self._programs, self._limits, self._on_result = sandbox, programs, limits, on_result
        self._results: list[Result | None] = [None] * len(programs)
        self._next = iter(range(len(programs)))
        self._lock = threading.Lock()
        self._error: BaseException | None = None

    def run(self) -> list[Result]:
        count = min(self._sandbox.cells, len(self._programs))
        threads = [threading.Thread(target=self._work, name=f"rlenv-sandbox-{i}", daemon=True) for i in range(count)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except BaseException as error:
            self._error = error
            raise
        if self._error is not None:
            raise self._error
        return [result for result in self._results if result is not None]

    def _work(self) -> None:
        try:
            with self._sandbox._pool.slot() as slot:
                while (index := self._take()) is not None:
                    result = slot.run(self._programs[index], self._limits)
                    self._results[index] = result
                    if self._on_result is not None:
                        self._on_result(index, result)
        except BaseException as error:
            self._error = error

    def _take(self) -> int | None:
        with self._lock:
            return next(self._next, None) if self._error is None else None


def open_sandbox(
    backend: str = "auto", *, cells: int | None = None, settings: CellSettings | None = None, check: bool = True
) -> Sandbox:
    """Open a sandbox: "docker", "namespaces", "auto" (the first of these that holds), or "unsafe" (no isolation).

    `cells` programs run at once (default: one a core). With `check`, what the backend is to hold is tried first, once
    in a process (one or two seconds). Raises SandboxUnavailable, with what to do.
    """
    settings = settings or CellSettings()
    if backend == "auto":
        backend = choose.choose()
    make = choose.launcher_of(backend)
    guarantees = choose.tried(backend) if check else None
    if guarantees is not None:
        guarantees.require()
    return Sandbox(make(settings), settings, cells, guarantees)


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """A sandbox as plain data, to be sent to other processes and opened there: what `open_sandbox` is called with."""

    backend: str = "auto"
    cells: int | None = None
    settings: CellSettings = field(default_factory=CellSettings)
    check: bool = True

    def open(self) -> Sandbox:
        """Open it. Raises SandboxUnavailable."""
        return open_sandbox(self.backend, cells=self.cells, settings=self.settings, check=self.check)

    def settled(self) -> SandboxSpec:
        """With the backend chosen and tried here, so that other processes on this machine need not."""
        if self.backend == "auto":
            return replace(self, backend=choose.choose(), check=False)
        return self


_shared: dict[SandboxSpec, Sandbox] = {}
_shared_lock = threading.Lock()


def shared_sandbox(spec: SandboxSpec) -> Sandbox:
    """The sandbox of this process for a spec: opened when first asked for, closed at exit, not inherited by forks."""
    with _shared_lock:
        if spec not in _shared or _shared[spec].closed:
            _shared[spec] = spec.open()
        return _shared[spec]


def _close(pool: Pool, session_cells: SessionCells) -> None:
    session_cells.close()
    pool.close()


def _forget_after_fork() -> None:
    global _shared_lock
    _shared_lock = threading.Lock()
    _shared.clear()
    for pool in list(_pools):
        pool.abandon()
    for cells in list(_session_cells):
        cells.abandon()


os.register_at_fork(after_in_child=_forget_after_fork)
