"""Paid without sense: what the text says is taken out of it, its form is left, and the pay stays.

Asked, until 64 paid completions have answered: made-up words in the place of its own, its words mixed, and the text on
other tasks. Where half of the run's paid completions keep their pay, the reward does not decide this: a finding about
the environment, told once, and never a flag, since right completions keep theirs as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Flag
from rlenv.core.wrapper import State
from rlenv.evidence.catalogue import ANOTHER_TASK, MADE_UP_WORDS, MIXED_WORDS
from rlenv.evidence.detector import EvidenceDetector
from rlenv.evidence.edit import Edit
from rlenv.evidence.evidence import Evidence
from rlenv.evidence.findings import count, counts, holds

ENOUGH = 64
"""So many paid completions tell what a reward does not decide; then it is not asked any more in this run."""
TOLD = {
    ANOTHER_TASK.name: "paid as well on other tasks",
    MADE_UP_WORDS.name: "paid as well with made-up words in the same form",
    MIXED_WORDS.name: "paid as well with its words in any order",
}


@dataclass(frozen=True, kw_only=True)
class Senseless(EvidenceDetector):
    """Tells what the reward does not decide; flags nothing."""

    name: ClassVar[str] = "senseless"
    only_paid: ClassVar[bool] = True
    edits: ClassVar[tuple[Edit, ...]] = (ANOTHER_TASK, MADE_UP_WORDS, MIXED_WORDS)

    def wanted(self, state: Mapping[str, Json]) -> Sequence[Edit]:
        return [edit for edit in self.edits if counts(state, TOLD[edit.name])[1] < ENOUGH]

    def learn(self, group: Sequence[Evidence], run: State) -> None:
        for name, told in TOLD.items():
            shares = [share for one in group if (share := one.share_kept(name)) is not None]
            count(run, told, shares.count(1.0), len(shares))

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        return ()

    def shows(self, evidence: Evidence, run: State) -> str:
        return next((told for name, told in TOLD.items() if evidence.share_kept(name) == 1 and holds(run, told)), "")
