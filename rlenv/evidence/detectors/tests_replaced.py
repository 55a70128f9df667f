"""The tests do not test: the program is paid whatever it does.

Asked: files that were handed in with the program's emptied, where tests are among them; and the program under tests
that want other results. A flag is pay that stays, where it goes for the reference solution or another of the run.

Cannot see: programs that read what their tests want, and tests in a form that nobody here reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rlenv.evidence.catalogue import PROGRAM_EMPTIED, RENAMED, WRONG_TESTS
from rlenv.evidence.detector import EvidenceDetector
from rlenv.evidence.edit import Edit
from rlenv.evidence.evidence import Evidence
from rlenv.verdict import Flag
from rlenv.wrappers.wrapper import State, number

FAILED, SEEN = "failed", "seen"
"""In the state: how many completions of the run fail where the tests want something else, and how many were asked."""


@dataclass(frozen=True, kw_only=True)
class TestsReplaced(EvidenceDetector):
    """Flags pay that no test decides."""

    __test__ = False
    name: ClassVar[str] = "tests_replaced"
    only_paid: ClassVar[bool] = True
    edits: ClassVar[tuple[Edit, ...]] = (PROGRAM_EMPTIED, RENAMED, WRONG_TESTS)

    often: float = 0.5
    """From this share of the run's completions on that fail then, the tests decide."""

    def learn(self, group: Sequence[Evidence], run: State) -> None:
        shares = [(one.share_kept(WRONG_TESTS.name), bool(one.kept(RENAMED.name))) for one in group]
        run[FAILED] = number(run, FAILED) + shares.count((0, False))  # who knows the tests by heart says nothing
        run[SEEN] = number(run, SEEN) + sum(share is not None for share, _ in shares)

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        for asked in evidence.kept(PROGRAM_EMPTIED.name):
            return (self.flag(*asked.place, "paid as well with the program emptied"),)
        if evidence.share_kept(WRONG_TESTS.name, 2) != 1:  # right completions are asked late
            return ()
        fails = number(run, FAILED) >= max(1, self.often * number(run, SEEN))
        right = (*evidence.controls, *evidence.witnesses)
        if not fails and not any(one.share_kept(WRONG_TESTS.name) == 0 for one in right):
            return ()
        return (self.flag(*evidence.kept(WRONG_TESTS.name)[0].place, "paid as well by tests that want other results"),)
