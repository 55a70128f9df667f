"""A judge in one cell asks the functions of a candidate in another; every value goes through the host.

The host passes lines on and decodes none of them: what a candidate answers is taken apart in the judge's cell, which
has limits and can be killed. Neither side can reach the other but by such lines. The judge's verdict is what its own
process says and how it ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from rlenv.sandbox import report
from rlenv.sandbox.cell import Cell
from rlenv.sandbox.codec import OPAQUE_MARK, dumps
from rlenv.sandbox.program import Limits, Program, Result, Status
from rlenv.sandbox.report import Tampered

JUDGE_MARGIN_S = 1.0
"""How much longer the judge may run, so that it hears of a candidate that ran out of time."""


class Conversation:
    """One interactive program: the lines that it says, until its report."""

    def __init__(self, cell: Cell, program: Program, limits: Limits, role: str, cores: Sequence[int]) -> None:
        self._cell, self._program, self._limits, self._judge = cell, program, limits, role == "judge"
        self.result: Result | None = None
        self._kept: list[bytes] = []
        self._lines: deque[bytes] = deque()
        self._rest: list[bytes] = []
        """What came since the end of the last line."""
        self._room = limits.result_bytes
        self._open = True
        self._deadline = cell.start(program, limits, role, cores)

    def line(self) -> bytes | None:
        """The next line; None when the program has ended, and then `result` is there. Raises CellLost."""
        while not self._lines and self.result is None:
            self._listen()
        return self._lines.popleft() if self._lines else None

    def keep(self, line: bytes) -> None:
        """Let a line stand in the result."""
        self._kept.append(line)
        if not self._judge and len(self._kept) > report.MAX_MARKS:
            self.refuse(Status.TAMPERED, "more marks than a runner gives")

    def tell(self, line: bytes) -> None:
        """Say one line to the program. Raises CellLost."""
        if self.result is None:
            self._cell.tell(line + b"\n", self._deadline)

    def end(self) -> Result:
        """Close the channel and wait for the report; what the program says now has not been asked for."""
        self._hang_up()
        while self.result is None:
            self._listen()
        return self.result

    def refuse(self, status: Status, why: str) -> None:
        """The program broke the rules: its cell is given up, and nothing that it said is kept."""
        self._cell.spent = True
        self._lines.clear()
        self.result = report.killed(self._program, status, why)

    def _listen(self) -> None:
        header, data = self._cell.next_frame(self._limits, self._deadline)
        if "said" in header and self._cell.signed(header):
            self._take(data)
        else:
            self._hang_up()
            said = [*self._kept, b"".join(self._rest)]
            self.result = self._cell.reported(self._program, header, data, said, self._judge)

    def _take(self, data: bytes) -> None:
        self._room -= len(data)
        if self._room < 0:
            self.refuse(Status.OUTPUT_LIMIT, "more answers than the limit on them")
            return
        first, *more = data.split(b"\n")
        self._rest.append(first)
        for start in more:
            self._lines.append(b"".join(self._rest))
            self._rest = [start]

    def _hang_up(self) -> None:
        """Once: the supervisor waits for it before the next job may come."""
        if self._open and not self._cell.spent:
            self._open = False
            self._cell.hang_up(self._deadline)


class Pair:
    """One judge and one candidate."""

    def __init__(
        self,
        cells: tuple[Cell, Cell],
        judge: Program,
        candidate: Program,
        limits: Limits,
        cores: Sequence[int],
    ) -> None:
        self._candidate = Conversation(cells[1], candidate, limits, "serve", cores)
        longer = replace(limits, wall_s=limits.wall_s + JUDGE_MARGIN_S)
        self._judge = Conversation(cells[0], judge, longer, "judge", cores)
        self._asked = 0

    def run(self) -> tuple[Result, Result]:
        """The results of judge and candidate. Raises CellLost."""
        while (line := self._judge.line()) is not None:
            kind, _, rest = line.partition(b" ")
            if kind == b"?":
                self._relay(rest)
            else:
                self._judge.keep(line)
        return self._judge.end(), self._candidate.end()

    def _relay(self, question: bytes) -> None:
        if OPAQUE_MARK in question or not question.startswith(b'["'):
            self._judge.refuse(Status.TAMPERED, "the judge asked for no call, or with what is no plain data")
            return
        self._candidate.tell(question)
        self._judge.tell(self._answer())

    def _answer(self) -> bytes:
        """What the candidate says to the last question, or that it says nothing any more."""
        while (line := self._candidate.line()) is not None:
            kind, _, rest = line.partition(b" ")
            try:
                if kind == b"!":
                    self._candidate.keep(line)
                    continue
                if kind not in (b"=", b"-"):
                    raise Tampered(f"a stray line on the answer channel: {line[:60]!r}")
                _, body = report.answer_body(rest, self._asked)
            except Tampered as problem:
                self._candidate.refuse(Status.TAMPERED, str(problem))
                break
            self._asked += 1
            return kind + b" " + body
        ended = self._candidate.result
        return b"x " + dumps(f"the candidate has ended: {ended.status if ended else 'unknown'}")


def run_pair(
    cells: tuple[Cell, Cell], judge: Program, candidate: Program, limits: Limits, cores: Sequence[int]
) -> tuple[Result, Result]:
    """Run a judge and its candidate in two cells. Raises CellLost, and then neither cell can be used again."""
    try:
        return Pair(cells, judge, candidate, limits, cores).run()
    except BaseException:
        for cell in cells:
            cell.give_up()
        raise
