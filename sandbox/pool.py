"""Cells at work: one program at a time in each, one cell a core, replaced when they are used up.

A program whose cell is lost under it is tried once more on a fresh cell. If that one is lost as well the
result is SANDBOX_FAILURE, unless it is clear that the program did it: it ran past its time on both (TIMEOUT), or the
kernel killed the cell for memory (MEMORY_LIMIT).
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rlenv.sandbox.cell import Cell
from rlenv.sandbox.cores import core_count, take_places
from rlenv.sandbox.errors import SandboxClosed, SandboxUnavailable
from rlenv.sandbox.launcher import CellSettings, Launcher
from rlenv.sandbox.slot import Slot

RECYCLE_AFTER = 2000
CELLS_ENV = "RLENV_CELLS"
"""The environment variable that says how many cells, where nothing else does; without it one a core."""
REST_S = 5.0
"""After cells failed to start, how long no other start is tried."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a pool has done so far."""

    jobs: int = 0
    cells: int = 0
    """Cells that were started."""
    retries: int = 0
    """Programs that were tried again, because their cell was lost."""
    failures: int = 0
    """Programs that ended as SANDBOX_FAILURE."""


class Pool:
    """Starts cells when they are needed, up to `cells` at work at once. Serves any number of threads."""

    def __init__(
        self, launcher: Launcher, settings: CellSettings, cells: int | None = None, recycle_after: int = RECYCLE_AFTER
    ) -> None:
        self._launcher, self.settings, self._recycle_after = launcher, settings, recycle_after
        self.size = cells or int(os.environ.get(CELLS_ENV, "0")) or core_count()
        self.places = take_places(self.size)
        """Of each slot."""
        self._slots = [Slot(self, place) for place in self.places]
        self._free = list(reversed(self._slots))
        self._serials = itertools.count()
        self._changed = threading.Condition()
        self._counts = Counts()
        self._closed = self._losing = False
        self._spare = _Spare(self._boot)
        self._resting_until, self._why_resting = 0.0, ""

    @property
    def counts(self) -> Counts:
        return self._counts

    @property
    def closed(self) -> bool:
        """It starts no cells any more, or belongs to the parent process."""
        return self._closed

    @contextmanager
    def slot(self) -> Iterator[Slot]:
        """A free slot, waited for."""
        with self._changed:
            while not self._free and not self._closed:
                self._changed.wait()
            if self._closed:
                raise SandboxClosed("the sandbox is closed; open another")
            slot = self._free.pop()
        try:
            yield slot
        finally:
            with self._changed:
                self._free.append(slot)
                self._changed.notify()

    def start_one(self) -> Cell:
        """Start the first cell, to see that it can be done. Raises SandboxUnavailable."""
        with self.slot() as slot:
            return slot.cell()

    def close(self) -> None:
        """Kill all cells. Programs that are running in other threads end as SANDBOX_FAILURE."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._changed.notify_all()
        self._spare.close()
        for slot in self._slots:
            slot.close()
        self._leave()
        self._launcher.close()

    def abandon(self) -> None:
        """In a forked child: the cells belong to the parent."""
        self._closed = True
        self._changed = threading.Condition()
        self._spare.abandon()
        for slot in self._slots:
            slot.abandon()
        self._leave()

    def new_cell(self) -> Cell:
        """For slots: the spare, or a fresh cell. Raises SandboxUnavailable, at once while cells fail to start."""
        if time.monotonic() < self._resting_until:
            raise SandboxUnavailable(self._why_resting)
        try:
            cell = self._spare.take()
            if self._losing:
                self._spare.prepare()
            return cell
        except SandboxUnavailable as problem:
            self._resting_until, self._why_resting = time.monotonic() + REST_S, str(problem)
            raise

    def lost_one(self) -> None:
        """For slots: a cell was given up; from now on a started one is kept in hand."""
        self._losing = True
        self._spare.prepare()

    def worn(self, cell: Cell) -> bool:
        """For slots: the cell has done enough."""
        return cell.jobs >= self._recycle_after

    def count(self, *, jobs: int = 0, cells: int = 0, retries: int = 0, failures: int = 0) -> None:
        """Add to the counts."""
        with self._changed:
            now = self._counts
            self._counts = Counts(now.jobs + jobs, now.cells + cells, now.retries + retries, now.failures + failures)

    def _leave(self) -> None:
        for place in self.places:
            place.close()

    def _boot(self) -> Cell:
        with self._changed:
            serial = next(self._serials)
            if self._closed:
                raise SandboxUnavailable("the sandbox is closed")
        cell = Cell(self._launcher, serial, self.settings)
        self.count(cells=1)
        if self._closed:
            cell.close()
        return cell


class _Spare:
    """Keeps one started cell in hand, from the first time that one is taken."""

    def __init__(self, boot: Callable[[], Cell]) -> None:
        self._boot = boot
        self._lock = threading.Lock()
        self._taken = 0
        self._thread: threading.Thread | None = None
        self._cell: Cell | None = None
        self._closed = False

    def take(self) -> Cell:
        with self._lock:
            if self._thread is not None:
                self._thread.join()
                self._thread = None
            cell, self._cell = self._cell, None
        return cell or self._boot()

    def prepare(self) -> None:
        """Start the next one meanwhile."""
        with self._lock:
            if self._thread is None and self._cell is None and not self._closed:
                self._thread = threading.Thread(target=self._fill, name="rlenv-sandbox-spare", daemon=True)
                self._thread.start()

    def _fill(self) -> None:
        try:
            self._cell = self._boot()
        except SandboxUnavailable:  # the next one who needs a cell will hear of it
            self._cell = None

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._thread is not None:
                self._thread.join()
            if self._cell is not None:
                self._cell.close()

    def abandon(self) -> None:
        self._closed = True
        if self._cell is not None:
            self._cell.abandon()
        self._thread = self._cell = None
        self._lock = threading.Lock()
