"""The place of a cell on its core: keeps a cell ready, and tries a program again whose cell is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol, TypeAlias

from rlenv.sandbox import report
from rlenv.sandbox.cell import Cell
from rlenv.sandbox.cores import Place
from rlenv.sandbox.errors import CellLate, CellLost, SandboxUnavailable
from rlenv.sandbox.pair import run_pair
from rlenv.sandbox.program import Limits, Program, Result, Status

PROGRAM, JUDGE = "program", "judge"
"""The two places of a slot: the second is used by pairs only."""
Results: TypeAlias = "tuple[Result, ...]"


class CellSource(Protocol):
    """What a slot needs of its pool."""

    def new_cell(self) -> Cell:
        """A cell that has done nothing yet. Raises SandboxUnavailable."""

    def worn(self, cell: Cell) -> bool:
        """It has done enough."""

    def lost_one(self) -> None:
        """A cell was given up."""

    def count(self, *, jobs: int = 0, retries: int = 0, failures: int = 0) -> None:
        """Add to what was done so far."""


class Slot:
    """Used by one thread at a time; `close` may come from any."""

    def __init__(self, source: CellSource, place: Place) -> None:
        self._source = source
        self._place = place
        self._cells: dict[str, Cell] = {}

    def cell(self, place: str = PROGRAM) -> Cell:
        """A cell that is ready for a program. Raises SandboxUnavailable."""
        cell = self._cells.get(place)
        if cell is not None and (not cell.ready() or self._source.worn(cell)):
            self._drop(place)
            cell = None
        if cell is None:
            cell = self._cells[place] = self._source.new_cell()
        return cell

    def run(self, program: Program, limits: Limits) -> Result:
        """Run one program to its result; never raises for what happens to it."""
        return self._attempt({PROGRAM: program}, lambda: (self.cell().run(program, limits, self._place.cores()),))[0]

    def run_pair(self, judge: Program, candidate: Program, limits: Limits) -> tuple[Result, Result]:
        """Run a judge and its candidate; the results in this order."""

        def run() -> Results:
            cells = self.cell(JUDGE), self.cell(PROGRAM)
            return run_pair(cells, judge, candidate, limits, self._place.cores())[::-1]

        of_candidate, of_judge = self._attempt({PROGRAM: candidate, JUDGE: judge}, run)
        return of_judge, of_candidate

    def _attempt(self, programs: Mapping[str, Program], run: Callable[[], Results]) -> Results:
        """Run, and once more when a cell is lost."""
        self._source.count(jobs=1)
        try:
            results = run()
        except CellLost as lost:
            results = self._again(programs, run, lost)
        except SandboxUnavailable as problem:
            results = _failed(programs, str(problem))
        except BaseException:  # interrupted: the cells are in the middle of something
            for cell in self._cells.values():
                cell.give_up()
            raise
        if any(result.status is Status.SANDBOX_FAILURE for result in results):
            self._source.count(failures=1)
        return results

    def _again(self, programs: Mapping[str, Program], run: Callable[[], Results], first: CellLost) -> Results:
        first_cause = self._cause(first)
        if first_cause == "memory":
            return _killed(programs, Status.MEMORY_LIMIT, "the kernel killed the cell for memory")
        self._source.count(retries=1)
        try:
            return tuple(replace(result, detail=result.detail or f"second cell: {first}") for result in run())
        except CellLost as second:
            cause = self._cause(second)
            if cause == "memory":
                return _killed(programs, Status.MEMORY_LIMIT, "the kernel killed the cell for memory")
            if cause == first_cause == "late":
                return _killed(programs, Status.TIMEOUT, f"its cell was out of time, twice: {second}")
            return _failed(programs, f"{first}; on a fresh cell: {second}")
        except SandboxUnavailable as problem:
            return _failed(programs, f"{first}; then no other cell started: {problem}")

    def _cause(self, lost: CellLost) -> str:
        """Why the program's cell was lost, as far as that speaks against the program; drops what is lost."""
        cell = self._cells.get(PROGRAM)
        guilty = cell is not None and cell.lost
        cause = ""
        if cell is not None and guilty:
            cause = "late" if isinstance(lost, CellLate) else cell.postmortem()
        for place in list(self._cells):  # the other cell of a pair is in the middle of something
            self._drop(place)
        return cause

    def _drop(self, place: str) -> None:
        cell = self._cells.pop(place, None)
        if cell is not None:
            self._source.lost_one()
            cell.close()

    def close(self) -> None:
        """Kill the cells."""
        for cell in list(self._cells.values()):
            cell.close()

    def abandon(self) -> None:
        """In a forked child."""
        for cell in self._cells.values():
            cell.abandon()
        self._cells.clear()


def _failed(programs: Mapping[str, Program], detail: str) -> Results:
    return tuple(report.failed(program, detail) for program in programs.values())


def _killed(programs: Mapping[str, Program], status: Status, detail: str) -> Results:
    return tuple(report.killed(program, status, detail) for program in programs.values())
