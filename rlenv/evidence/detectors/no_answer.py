"""Paid without an answer: a text that holds neither the answer nor what it is made of.

Measured, of a task with one number as its answer: that number stands nowhere in what was thought and said, and others
do, or no number of the prompt does. What is paid as a right answer is then no answer, or a wrong one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from rlenv.core.task import prompt_text
from rlenv.core.verdict import Flag
from rlenv.core.wrapper import State
from rlenv.evidence.catalogue.values import SMALL, is_number
from rlenv.evidence.catalogue.wrong import expression, value_of
from rlenv.evidence.detector import EvidenceDetector
from rlenv.evidence.evidence import Evidence
from rlenv.evidence.parts import numbers

NEAR = 0.01
"""Numbers that differ by this share of the answer may be the answer, rounded."""
WIDE = 0.1
"""Two numbers in a row that hold the answer between them, so far apart at most as a share of it, are the answer."""
_BLANK = re.compile(r"[,\s]")  # of 1,250 and 1 250


@dataclass(frozen=True, kw_only=True)
class NoAnswer(EvidenceDetector):
    """Flags paid completions that hold neither the answer nor what it is made of."""

    name: ClassVar[str] = "no_answer"
    only_paid: ClassVar[bool] = True

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        reference = evidence.episode.task.reference
        judged = evidence.paid > 0 and is_number(reference) and not evidence.several_turns
        detail = _untouched(evidence, str(reference)) if judged else ""
        return (self.flag(0, len(evidence.text), detail),) if detail else ()


def _untouched(evidence: Evidence, reference: str) -> str:
    """Why the text does not touch a task that asks for this number; empty where it does."""
    answer = float(reference.replace(",", ""))
    given = {float(part.text) for part in numbers(prompt_text(evidence.episode.task.prompt))}
    given = {value for value in given if abs(value) > SMALL}
    said = [float(part.text) for part in numbers(evidence.whole)]
    if abs(answer) <= SMALL or reference.replace(",", "") in _BLANK.sub("", evidence.whole) or _near(said, answer):
        return ""
    found = expression(evidence.text)
    if found and value_of(found) == answer:  # the answer is an expression that comes to it
        return ""
    if said:
        return f"{reference} stands nowhere in it, and other numbers do"
    if not given:
        return ""
    return f"neither {reference} nor a number of the prompt stands in it"


def _near(said: list[float], answer: float) -> bool:
    """Whether one of these numbers may be the answer, or two in a row say between what it lies."""
    size = abs(answer)
    ranges = ((low, high) for low, high in pairwise(map(abs, said)) if high - low <= WIDE * size)
    return any(abs(abs(value) - size) <= NEAR * size for value in said) or any(a <= size <= b for a, b in ranges)
