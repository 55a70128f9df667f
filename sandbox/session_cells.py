"""The cells that sessions run in: one for each session with its forks, kept for the next one when it is closed.

They lie beside those of the pool, and are started when they are needed. With `CellSettings(sessions=...)` several share
one. Of the calls of all sessions as many run at once as the pool has slots, one on each core, so that none runs out of
time because another one works.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from contextlib import suppress
from typing import cast

from rlenv.sandbox.cell import Cell
from rlenv.sandbox.errors import CellLost, ForkRefused, SandboxClosed, SandboxUnavailable, SessionLost
from rlenv.sandbox.execution import SessionLimits
from rlenv.sandbox.family import TEMPLATE, Core, Family
from rlenv.sandbox.pool import Pool
from rlenv.sandbox.session import Session

ATTEMPTS = 2
"""A cell may have been lost while it was idle; then another one is taken."""


class SessionCells:
    """Opens sessions. Serves any number of threads."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._idle: list[Cell] = []
        self._all: weakref.WeakSet[Cell] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._cores = itertools.cycle([Core(place, threading.Lock()) for place in pool.places])
        self._shared: weakref.WeakSet[Family] = weakref.WeakSet()
        """Families of cells that several sessions share."""
        self._opening = threading.Lock()
        self._closed = False

    def open(self, limits: SessionLimits) -> Session:
        """A session in a clean cell, or in one with others. Raises SandboxUnavailable, SandboxClosed."""
        sessions = self._pool.settings.sessions
        if sessions > 1:
            with self._opening:
                return self._open_beside_others(limits, sessions)
        return self._session(self._family(limits, 1), TEMPLATE)

    def _open_beside_others(self, limits: SessionLimits, sessions: int) -> Session:
        for family in [family for family in self._shared if family.limits == limits]:
            with suppress(SessionLost, ForkRefused):
                if (number := family.open()) is not None:
                    return self._session(family, number)
        family = self._family(limits, sessions)
        try:
            number = family.open()
        except (SessionLost, ForkRefused) as problem:
            raise SandboxUnavailable(
                f"sessions cannot share a cell here ({problem}); open it with sessions=1"
            ) from None
        self._shared.add(family)
        return self._session(family, cast("int", number))

    def _session(self, family: Family, number: int) -> Session:
        return Session(family, number, lambda: self._closed)

    def _family(self, limits: SessionLimits, sessions: int) -> Family:
        lost: CellLost | None = None
        for _ in range(ATTEMPTS):
            cell = self._take()
            try:
                return Family(cell, limits, next(self._cores), self._give_back, sessions)
            except CellLost as problem:
                cell.close()
                lost = problem
            except BaseException:
                cell.close()
                raise
        raise SandboxUnavailable(f"a session does not start: {lost}; run `rlenv sandbox check`")

    def _take(self) -> Cell:
        while True:
            with self._lock:
                if self._closed or self._pool.closed:
                    raise SandboxClosed("the sandbox is closed; open another")
                cell = self._idle.pop() if self._idle else None
            if cell is None:
                break
            if cell.ready() and not self._pool.worn(cell):
                return cell
            cell.close()
        cell = self._pool.new_cell()
        with self._lock:
            self._all.add(cell)
            closed = self._closed
        if closed:
            cell.close()
            raise SandboxClosed("the sandbox is closed; open another")
        return cell

    def _give_back(self, cell: Cell) -> None:
        with self._lock:
            self._idle.append(cell)

    def close(self) -> None:
        """Kill all cells, those at work too."""
        with self._lock:
            self._closed = True
            cells = list(self._all)
        for cell in cells:
            cell.close()

    def abandon(self) -> None:
        """In a forked child: the cells belong to the parent."""
        self._closed = True
        self._lock = threading.Lock()
        for cell in list(self._all):
            cell.abandon()
