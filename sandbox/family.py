"""The host's side of a session's cell: what it asks of the keeper, and what it believes of the answers.

One family has one cell: a session and its forks. Calls of a family run one after the other, on the core of its cell.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TypeAlias, cast

from rlenv.sandbox.cell import MARGIN_S, Cell
from rlenv.sandbox.cores import Place
from rlenv.sandbox.errors import CellLate, CellLost, ForkRefused, SessionLost
from rlenv.sandbox.execution import Execution, ExecutionStatus, SessionLimits
from rlenv.sandbox.inside.wire import INTERRUPT_S, MAX_NAME, READY_S, SCOPED, SWEEP_S

Header: TypeAlias = "dict[str, object]"
START_LIMIT_S = READY_S + MARGIN_S
FORK_LIMIT_S = 2 * (2 * READY_S + SWEEP_S) + MARGIN_S
"""The first fork of a session starts two processes, each of which may be waited for twice."""
VALUES = ("=", "~")
TEMPLATE = 0
OPEN_AT_MOST = 1000
"""Sessions in one cell, one after the other; then it is cleaned."""


@dataclass(frozen=True, slots=True)
class Core:
    """Where cells of sessions run, one call at a time."""

    place: Place
    turn: threading.Lock


class Family:
    """A session and its forks. Raises CellLost where the cell is lost before the session has started."""

    def __init__(
        self,
        cell: Cell,
        limits: SessionLimits,
        core: Core,
        give_back: Callable[[Cell], None],
        sessions: int = 1,
    ) -> None:
        self.limits, self.core, self.sessions = limits, core, sessions
        self._cell, self._give_back = cell, give_back
        self._lock = threading.Lock()
        self._members = 1
        self._opened = 0
        self._ended = self._lost = ""
        """Why all sessions of this family are over: by the doing of one of them, or by that of the machinery."""
        self._culprit = -1
        deadline = time.monotonic() + START_LIMIT_S
        self._unclosed = weakref.finalize(self, cell.close)
        cell.open_session({**asdict(limits), "sessions": sessions}, core.place.cores(), deadline)
        header, _ = cell.answer(0, deadline)
        if "opened" not in header:
            raise CellLost("no session started")

    def open(self) -> int | None:
        """The number of another session in this cell, whose first one is a template that nothing runs in; None where
        there is no room. Raises ForkRefused, SessionLost."""
        with self._lock:
            room = self._members <= self.sessions and self._opened < OPEN_AT_MOST
            if not room or self._ended or self._lost:
                return None
            self._opened += 1
        return self.fork(TEMPLATE)

    def run(self, number: int, code: bytes, wall_s: float) -> Execution:
        """One snippet in one session. Raises SessionLost."""
        limits = self.limits
        most = 2 * limits.output_bytes + max(limits.value_bytes, MAX_NAME)
        with self._lock:
            seconds = wall_s + INTERRUPT_S + SWEEP_S + MARGIN_S
            found = self._ask({"session": number, "run": wall_s}, code, most, seconds)
        if isinstance(found, Execution):
            return found
        if found[0].get("lost"):
            raise SessionLost(f"the session is lost: {found[0]['ended']}, by another session of its cell")
        return _execution(*found)

    def fork(self, number: int) -> int:
        """The number of the fork. Raises ForkRefused, SessionLost."""
        with self._lock:
            if self.sessions > 1 and self._members > self.sessions:
                raise ForkRefused("the session cannot be forked: the cell that it shares has no room for another one")
            found = self._ask({"session": number, "fork": True}, b"", 0, FORK_LIMIT_S)
            if isinstance(found, Execution):
                raise ForkRefused(f"the session is over: {found.detail}")
            header, _ = found
            if "forked" not in header:
                raise ForkRefused(f"the session cannot be forked: {header.get('refused')}")
            self._members += 1
            return cast("int", header["forked"])

    def leave(self, number: int) -> None:
        """One session is closed; with the last one the cell is free for others."""
        with self._lock:
            self._members -= 1
            if self._ended or self._lost:
                return
            if self._members:
                with suppress(SessionLost):
                    self._remove(number)
            if self._members > (self.sessions > 1):
                return
            self._lost = "the session was closed"
            self._unclosed.detach()
            try:
                self._cell.order({"close": True}, b"", time.monotonic() + MARGIN_S)
            except CellLost:
                self._cell.close()
            else:
                self._give_back(self._cell)

    def _remove(self, number: int) -> None:
        """What cannot be removed takes its room until the cell is cleaned."""
        found = self._ask({"session": number, "end": True}, b"", 0, START_LIMIT_S)
        if isinstance(found, Execution) or not found[0].get("removed"):
            self._opened = OPEN_AT_MOST

    def _ask(self, order: Header, body: bytes, most: int, seconds: float) -> tuple[Header, bytes] | Execution:
        """The keeper's answer; an execution that says so where the program took its cell with it."""
        number = cast("int", order["session"])
        if self._lost or (self._ended and number != self._culprit):
            raise SessionLost(f"the session is lost: {self._lost or 'another one of its cell ended: ' + self._ended}")
        if self._ended:
            return Execution(ExecutionStatus.ENDED, False, detail=self._ended)
        self._culprit = number
        deadline = time.monotonic() + seconds
        try:
            self._cell.order(order, body, deadline)
            header, data = self._cell.answer(most, deadline)
        except CellLost as problem:
            return self._without_cell(problem)
        except BaseException:  # interrupted: the cell is in the middle of something
            self._lose("a call was interrupted on the host")
            raise
        if self._cell.signed(header):
            return header, data
        for_memory = "supervisor_killed" in header and self._cell.killed_for_memory(header)
        if for_memory:
            return self._end(ExecutionStatus.MEMORY_LIMIT, "the kernel killed the session's keeper for memory")
        return self._end(ExecutionStatus.TAMPERED, "the program killed its keeper, or wrote in its place")

    def _without_cell(self, problem: CellLost) -> Execution:
        late = isinstance(problem, CellLate)
        if not late and self._cell.postmortem() == "memory":
            return self._end(ExecutionStatus.MEMORY_LIMIT, "the kernel killed the cell for memory")
        hello = self._cell.hello
        apart = hello.get("job_uid") is not None or cast("int", hello.get("landlock", 0)) >= SCOPED
        if late and not apart:  # the program shares the keeper's uid here, and can stop it
            return self._end(ExecutionStatus.TIMEOUT, "its cell was out of time")
        self._lose(f"its cell is lost ({problem})")
        raise SessionLost(f"the session is lost: {self._lost}; open another and run its snippets again") from problem

    def _end(self, status: ExecutionStatus, why: str) -> Execution:
        self._ended = why
        self._cell.close()
        return Execution(status, False, detail=why)

    def _lose(self, why: str) -> None:
        self._lost = why
        self._cell.close()


def _execution(header: Header, body: bytes) -> Execution:
    """What a keeper's answer stands for."""
    sizes = cast("list[int]", header["sizes"])
    words = body[sizes[0] + sizes[1] :].decode("utf-8", "replace")
    has_value = header.get("kind") in VALUES
    return Execution(
        status=ExecutionStatus(cast("str", header["status"])),
        alive=not header["ended"],
        stdout=body[: sizes[0]],
        stderr=body[sizes[0] : sizes[0] + sizes[1]],
        value=words if has_value else "",
        error="" if has_value else words,
        exit_code=cast("int | None", header.get("exit_code")),
        signal=cast("int | None", header.get("signal")),
        wall_s=round(cast("float", header.get("wall_s", 0.0)), 6),
        cpu_s=round(cast("float", header.get("cpu_s", 0.0)), 6),
        truncated=bool(header.get("truncated")),
        detail=str(header["detail"] or header["ended"]),
    )
