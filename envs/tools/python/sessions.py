"""Live sessions of the sandbox for states that are JSON: the cells that were run, and a mark of the episode.

A session is kept under its mark and its cells, and taken out to run the next one. Where it is not there (another
process, a fork of the episode, too many sessions) a new one runs the cells again. So a state can be stored, copied and
gone on with anywhere, as far as the code does the same when it runs again.
"""

from __future__ import annotations

import hashlib
import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol, TypeAlias

from rlenv.core.jsontypes import canonical

Key: TypeAlias = "tuple[str, str]"


class Ran(Protocol):
    """What a cell did, as `rlenv.sandbox.Execution` says it."""

    @property
    def status(self) -> str: ...
    @property
    def alive(self) -> bool: ...
    @property
    def stdout(self) -> bytes: ...
    @property
    def stderr(self) -> bytes: ...
    @property
    def value(self) -> str: ...
    @property
    def truncated(self) -> bool: ...
    @property
    def detail(self) -> str: ...


class Session(Protocol):
    """Runs cells in one namespace, as `rlenv.sandbox.Session` does."""

    def run(self, code: str, /) -> Ran:
        """Run one cell. Raises where the machinery fails, never for what the code does."""

    def close(self) -> None:
        """End it."""


class Done(NamedTuple):
    """What came of a cell."""

    ran: Ran
    cells: tuple[str, ...]
    """What the state is made of from here on; nothing, where the session was killed."""
    again: bool = False
    """It is an earlier cell, run again, that has ended the session; the new one was not run."""


class Sessions:
    """At most `most` live sessions, those that were used last. Serves any number of threads."""

    def __init__(self, open_session: Callable[[], Session], most: int) -> None:
        self._open, self._most = open_session, most
        self._kept: OrderedDict[Key, Session] = OrderedDict()
        self._lock = threading.Lock()
        _all.add(self)

    def __len__(self) -> int:
        return len(self._kept)

    def run(self, mark: str, cells: Sequence[str], code: str) -> Done:
        """Run a cell behind those of the state. Raises what the machinery raises."""
        session = self._take(mark, cells)
        if session is not None:
            try:
                return self._run(session, mark, cells, code)
            except Exception:  # it was lost while it lay here, which is what running the cells again is for
                _end(session)
        session = self._open()
        try:
            for cell in cells:
                ran = session.run(cell)
                if not ran.alive:
                    _end(session)
                    return Done(ran, (), again=True)
            return self._run(session, mark, cells, code)
        except BaseException:
            _end(session)
            raise

    def drop(self, mark: str, cells: Sequence[str]) -> None:
        """The episode in this state is over."""
        session = self._take(mark, cells)
        if session is not None:
            _end(session)

    def _run(self, session: Session, mark: str, cells: Sequence[str], code: str) -> Done:
        ran = session.run(code)
        if not ran.alive:
            _end(session)
            return Done(ran, ())
        after = (*cells, code)
        self._keep(mark, after, session)
        return Done(ran, after)

    def _take(self, mark: str, cells: Sequence[str]) -> Session | None:
        with self._lock:
            return self._kept.pop(_key(mark, cells), None)

    def _keep(self, mark: str, cells: Sequence[str], session: Session) -> None:
        with self._lock:
            out = [] if (same := self._kept.pop(_key(mark, cells), None)) is None else [same]
            self._kept[_key(mark, cells)] = session
            while len(self._kept) > self._most:
                out.append(self._kept.popitem(last=False)[1])
        for each in out:
            _end(each)

    def _forget(self) -> None:
        """In a forked child: the sessions belong to the parent."""
        self._lock = threading.Lock()
        self._kept = OrderedDict()


def _end(session: Session) -> None:
    with suppress(Exception):  # one that is lost already, with its sandbox for example: nobody misses it
        session.close()


def _key(mark: str, cells: Sequence[str]) -> Key:
    return mark, hashlib.blake2b(canonical(list(cells)).encode(), digest_size=16).hexdigest()


def _forget_all() -> None:
    for sessions in _all:
        sessions._forget()


_all: weakref.WeakSet[Sessions] = weakref.WeakSet()
os.register_at_fork(after_in_child=_forget_all)
