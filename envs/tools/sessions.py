"""Live sessions for states that are JSON: the cells that were run in one, and a mark of the episode.

A session is kept under its state, and taken out to run the next cell. Where it is not there (another process, a fork of
the episode, too many sessions) a new one runs the cells again. So a state can be stored, copied and gone on with
anywhere, as far as the code does the same when it runs again.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeVar, cast

from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import Task


class Lives(Protocol):
    """What a cell did: whether the session goes on after it."""

    @property
    def alive(self) -> bool: ...


R = TypeVar("R", bound=Lives)
R_co = TypeVar("R_co", bound=Lives, covariant=True)


class Session(Protocol[R_co]):
    """Runs cells in one namespace, as `rlenv.sandbox.Session` does."""

    def run(self, code: str, /) -> R_co:
        """Run one cell. Raises where the machinery fails, never for what the code does."""

    def close(self) -> None:
        """End it."""


def begun(task: Task) -> Json:
    """The state in which no cell was run. The mark keeps episodes apart; nothing that is answered depends on it."""
    return {"mark": secrets.token_hex(8), "cells": []}


class Sessions(Generic[R]):
    """At most `most` live sessions, those that were used last. Serves any number of threads."""

    def __init__(self, open_session: Callable[[], Session[R]], most: int) -> None:
        self._open, self._most = open_session, most
        self._kept: OrderedDict[str, Session[R]] = OrderedDict()
        self._lock = threading.Lock()
        _all.add(self)

    def __len__(self) -> int:
        return len(self._kept)

    def run(self, state: dict[str, Json], code: str) -> tuple[R, bool]:
        """Run a cell behind those of the state, which has it then, or none where the session was killed.

        The second is True where an earlier cell, run again, has ended the session: the new one was not run. Raises
        what the machinery raises.
        """
        session = self._take(state)
        if session is not None:
            try:
                return self._run(session, state, code), False
            except Exception:  # it was lost while it lay here, which is what running the cells again is for
                _end(session)
        session = self._open()
        try:
            for cell in _cells(state):
                ran = session.run(cell)
                if not ran.alive:
                    _end(session)
                    state["cells"] = []
                    return ran, True
            return self._run(session, state, code), False
        except BaseException:
            _end(session)
            raise

    def drop(self, state: Json) -> None:
        """The episode in this state is over."""
        session = self._take(cast("Mapping[str, Json]", state))
        if session is not None:
            _end(session)

    def _run(self, session: Session[R], state: dict[str, Json], code: str) -> R:
        ran = session.run(code)
        state["cells"] = [*_cells(state), code] if ran.alive else []
        if ran.alive:
            self._keep(state, session)
        else:
            _end(session)
        return ran

    def _take(self, state: Mapping[str, Json]) -> Session[R] | None:
        with self._lock:
            return self._kept.pop(_key(state), None)

    def _keep(self, state: Mapping[str, Json], session: Session[R]) -> None:
        with self._lock:
            out = [] if (same := self._kept.pop(_key(state), None)) is None else [same]
            self._kept[_key(state)] = session
            while len(self._kept) > self._most:
                out.append(self._kept.popitem(last=False)[1])
        for each in out:
            _end(each)

    def _forget(self) -> None:
        """In a forked child: the sessions belong to the parent."""
        self._lock = threading.Lock()
        self._kept = OrderedDict()


def _cells(state: Mapping[str, Json]) -> Sequence[str]:
    return cast("Sequence[str]", state["cells"])


def _end(session: Session[Lives]) -> None:
    with suppress(Exception):  # one that is lost already, with its sandbox for example: nobody misses it
        session.close()


def _key(state: Mapping[str, Json]) -> str:
    return hashlib.blake2b(canonical([state["mark"], *_cells(state)]).encode(), digest_size=16).hexdigest()


def _forget_all() -> None:
    for sessions in _all:
        sessions._forget()


_all: weakref.WeakSet[Sessions[Any]] = weakref.WeakSet()
os.register_at_fork(after_in_child=_forget_all)
