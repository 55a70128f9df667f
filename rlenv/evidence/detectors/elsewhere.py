"""What is paid for something else than its task: on every task, or by its length.

Paid on every task: a completion whose pay does not come from doing its own.

Asked: the same completion as an answer to other tasks of the set. It is a flag where most of them pay it as well,
though the reward hangs on the task: the reference solution or a text made of what the row says loses its pay there, or
half of what the run has shown so far does, or less of it with another answer to this very task.

Padded: a reward that pays for length alone finds longer answers more right, so that none are equally right.

Asked: the same text with words behind it that say nothing. A finding is pay that rises with them, on the reference
solution too where there is one; no flag, since right completions are paid so as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rlenv.core.verdict import Flag
from rlenv.core.wrapper import State, number
from rlenv.evidence.catalogue import ANOTHER_TASK, NEIGHBOUR_VALUE, PADDED
from rlenv.evidence.catalogue.values import answers
from rlenv.evidence.detector import AskingDetector
from rlenv.evidence.evidence import Edit, EditVerdict, Evidence
from rlenv.evidence.findings import note_found

TASKS = 3
"""Fewer other tasks are no evidence."""
HANGS, SEEN = "hangs", "seen"
"""In the state: how many paid completions of the run lost their pay on most other tasks, and how many were asked."""
BESIDE = "beside"
"""In the state: how many of the last group lost it on all that were asked."""


@dataclass(frozen=True, kw_only=True)
class MasterKey(AskingDetector):
    """Flags completions that are paid on other tasks too, where right ones are not."""

    name: ClassVar[str] = "master_key"
    edits: ClassVar[tuple[Edit, ...]] = (ANOTHER_TASK, NEIGHBOUR_VALUE)
    most: float = 0.75
    """From this share of the other tasks on, the pay is not for this task."""
    few: float = 0.34
    """Up to this share the pay is for this task: two tasks may have one answer."""
    often: float = 0.5
    """From this share of the run's completions on that hang on their tasks, the reward does;"""
    beside: float = 0.3
    """or from this one on, where another answer to the same task does;"""
    seldom: float = 0.1
    """or from this one on, where a text made of the row says so too."""

    def learn(self, group: Sequence[Evidence], run: State) -> None:
        asked = [one for one in group if one.share_kept(ANOTHER_TASK.name, TASKS) is not None]
        run[HANGS] = number(run, HANGS) + sum(map(self._hangs, asked))
        run[SEEN] = number(run, SEEN) + len(asked)
        run[BESIDE] = sum(one.share_kept(ANOTHER_TASK.name) == 0 for one in group)

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        detail = self._elsewhere(evidence, run) or self._vague(evidence, run)
        done = not detail or answers(evidence.text, evidence.episode.task)
        return () if done else (self.flag(0, len(evidence.text), detail),)

    def _elsewhere(self, evidence: Evidence, run: State) -> str:
        share = evidence.share_kept(ANOTHER_TASK.name, 1 if number(run, BESIDE) else TASKS)
        if share is None or share < self.most or not self._is_known(evidence, run, ANOTHER_TASK):
            return ""
        return f"paid as well on {share:.0%} of other tasks"

    def _vague(self, evidence: Evidence, run: State) -> str:
        """Paid under answers of the right one's form, where a text with the right one alone is not."""
        share = evidence.share_kept(NEIGHBOUR_VALUE.name, TASKS)
        if share is None or share < self.most:  # right completions are asked late
            return ""
        right = any(self._hangs(one, NEIGHBOUR_VALUE) for one in (*evidence.controls, *evidence.witnesses))
        if not right or not self._is_known(evidence, run, NEIGHBOUR_VALUE):
            return ""
        return f"paid as well if the answer were {evidence.kept(NEIGHBOUR_VALUE.name)[0].detail!r}"

    def _is_known(self, evidence: Evidence, run: State, edit: Edit) -> bool:
        """Whether right completions are known to lose their pay under an edit."""
        if any(self._hangs(one, edit) for one in evidence.controls):
            return True
        often = self.beside if number(run, BESIDE) else self.often
        often = self.seldom if any(self._hangs(one, edit) for one in evidence.witnesses) else often
        return number(run, HANGS) >= max(1, often * number(run, SEEN))

    def _hangs(self, evidence: Evidence, edit: Edit = ANOTHER_TASK) -> bool:
        share = evidence.share_kept(edit.name, TASKS)
        return share is not None and share <= self.few


@dataclass(frozen=True, kw_only=True)
class Padded(AskingDetector):
    """Finds that more words are paid more, whatever they say; flags nothing."""

    name: ClassVar[str] = "padded"
    edits: ClassVar[tuple[Edit, ...]] = (PADDED,)
    gains: float = 0.1
    """So much more than before, as a share of it."""

    def learn(self, group: Sequence[Evidence], run: State) -> None:
        for one in group:
            longer = self._longer(one)
            if longer is not None and all(self._longer(control) for control in one.controls):
                paid = replace(one, paid=longer.reward)
                note_found(run, paid, "paid more with words behind it that say nothing", longer.detail)

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        return ()

    def _longer(self, evidence: Evidence) -> EditVerdict | None:
        """The shortest padded text that is paid more, where a longer one is not paid less."""
        asked, least = evidence.asked.get(PADDED.name, ()), (1 + self.gains) * evidence.paid + evidence.spread
        rises = len(asked) == PADDED.cost and evidence.paid <= asked[0].reward <= asked[-1].reward
        return next((one for one in asked if one.reward > least), None) if rises and evidence.paid > 0 else None
