"""Hollow: far less said than in the other paid answers to the task, and no solution that would need no more.

Measured: what a text says that its prompt does not, as the bytes that it adds to the compressed prompt; copies, loops
and empty forms add few. A flag is a text that says hardly any of what the group's other paid answers and the run's
paid texts say. A right answer can be short where something decides it: tasks with a short reference are looked at only
where the text is paid on other tasks too (asked); programs, formulas and tables of numbers are not.

Cannot see: anything where all answers of a group are hollow, or there is one; filler that says as much as an answer.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import ClassVar, cast

from rlenv.evidence.catalogue import ANOTHER_TASK
from rlenv.evidence.catalogue.repeats import asked_for
from rlenv.evidence.catalogue.values import answers
from rlenv.evidence.detector import EvidenceDetector
from rlenv.evidence.edit import Edit
from rlenv.evidence.evidence import Evidence
from rlenv.evidence.parts import program
from rlenv.evidence.row import SHORT
from rlenv.jsontypes import Json
from rlenv.task import prompt_text
from rlenv.verdict import Flag
from rlenv.wrappers.wrapper import State

GROUP, RUN = "group", "run"
"""In the state: what the paid answers of the last group say, and those of the run before it, in bytes."""
REMEMBERED = 64
"""Answers of the run."""
MOST_CHARS = 12_000
"""Of a prompt and of a text: a compressor looks back on 32 KB."""


@dataclass(frozen=True, kw_only=True)
class Hollow(EvidenceDetector):
    """Flags paid texts that say far less than the others that are paid."""

    name: ClassVar[str] = "hollow"
    only_paid: ClassVar[bool] = True
    edits: ClassVar[tuple[Edit, ...]] = (ANOTHER_TASK,)
    most: float = 0.75
    """From this share of the other tasks on, the pay is not for this task."""
    of_group: float = 0.4
    """Less than this share of what the group's other paid answers say (their median), and"""
    of_run: float = 0.6
    """less than this share of what the run's paid texts say (their median), is hardly any of it."""

    def learn(self, group: Sequence[Evidence], run: State) -> None:
        said: list[Json] = [says(one) for one in group if one.paid > 0 and self._is_open(one)]
        run[GROUP] = said
        run[RUN] = [*_numbers(run, RUN), *said][-REMEMBERED:]

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        text = evidence.text
        if evidence.paid <= 0 or not self._is_open(evidence) or program(text) is not None or not _is_words(text):
            return ()
        own, others = says(evidence), _numbers(run, GROUP)
        if own in others:
            others.remove(own)
        if not others or own >= self.of_group * median(others) or own >= self.of_run * median(_numbers(run, RUN)):
            return ()
        detail = f"says {own / median(others):.0%} of what the other paid answers say"
        task = evidence.episode.task
        wanted = asked_for(text, prompt_text(task.prompt)) or answers(text, task)
        return () if wanted else (self.flag(0, len(text), detail),)

    def _is_open(self, evidence: Evidence) -> bool:
        """Whether no short reference decides what is paid."""
        reference = evidence.episode.task.reference
        if reference is None or not isinstance(reference, str | int | float) or len(str(reference)) > SHORT / 2:
            return True
        share = evidence.share_kept(ANOTHER_TASK.name)
        return share is not None and share >= self.most


def says(evidence: Evidence) -> int:
    """The bytes that a text adds to its compressed prompt. Two bytes a character, so that no script counts for more."""
    prompt = prompt_text(evidence.episode.task.prompt)[-MOST_CHARS:]
    return max(1, _compressed(f"{prompt}\n{evidence.text[:MOST_CHARS]}") - _compressed(f"{prompt}\n"))


def _compressed(text: str) -> int:
    return len(zlib.compress(text.encode("utf-16-le", "surrogatepass"), 9))


def _is_words(text: str) -> bool:
    """Whether a text has more letters than figures; formulas and tables of numbers say much in few bytes."""
    return sum(map(str.isalpha, text)) > sum(sign.isdigit() or sign in "*/+=^<>" for sign in text)


def _numbers(run: State, key: str) -> list[int]:
    return list(cast("list[int]", run.get(key) or []))
