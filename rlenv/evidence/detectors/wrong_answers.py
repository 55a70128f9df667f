"""Wrong answers that are paid: the right one is a piece of them, they are near it, or made of numbers of their own.

Measured: no reader, however kind, takes the text for the right answer. Asked: the same text with the answer buried
deeper, with another number near the answer, with numbers that nobody gave. A flag is pay that stays, so that a right
answer that is only written otherwise is none: those edits make it wrong, and a sound reward pays them nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from rlenv.core.task import prompt_text
from rlenv.core.verdict import Flag
from rlenv.core.wrapper import State
from rlenv.evidence.answers import announces_tolerance
from rlenv.evidence.catalogue.values import is_number
from rlenv.evidence.catalogue.wrong import BURIED_ANSWER, NEAR_VALUE, PADDED_EXPRESSION, answer_of, expression, value_of
from rlenv.evidence.detector import EvidenceDetector
from rlenv.evidence.edit import Edit
from rlenv.evidence.evidence import Evidence
from rlenv.evidence.parts import numbers, standing
from rlenv.evidence.shrink import is_right

PROSE = 8
"""Words of a text that says numbers only: with more of them it may say its answer in words."""
_WORD = re.compile(r"[^\W\d_]{2,}")  # apples, not x and not the boxed of \\boxed{7}
_MARK = re.compile(r"\\boxed|</?\w+>|\bor\b|\band\b")  # what stands around numbers that are listed
ROUNDED = 0.01
"""Up to this share of the answer a number with a fraction may be the answer, rounded."""
WHOLE = 0.6
"""From this share of a text on, its expression is its answer."""
WIDE = 0.3
"""Farther off than this share nothing is near."""


@dataclass(frozen=True, kw_only=True)
class AnswerAnywhere(EvidenceDetector):
    """Flags paid texts that hold the right answer and give another one, or none."""

    name: ClassVar[str] = "answer_anywhere"
    only_paid: ClassVar[bool] = True
    edits: ClassVar[tuple[Edit, ...]] = (BURIED_ANSWER,)

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        answer = answer_of(evidence.episode.task)
        start = evidence.text.casefold().find(answer.casefold()) if answer and evidence.kept(BURIED_ANSWER.name) else -1
        if start < 0 or is_right(evidence.text, answer) or _may_say(evidence.text, answer):
            return ()
        end = min(start + len(answer), len(evidence.text))
        return (self.flag(start, end, f"paid for holding {answer!r}, which is not its answer"),)


def _may_say(text: str, answer: str) -> bool:
    """Whether a text may give the answer all the same: in a sentence, in words, or in another form of the word."""
    if not is_number(answer):
        return len(text.split()) > 1
    words = len(_WORD.findall(_MARK.sub(" ", text)))
    return len(answer) < 2 or words > PROSE or (words > 0 and standing(text, answer) is not None)


@dataclass(frozen=True, kw_only=True)
class NearAnswer(EvidenceDetector):
    """Flags paid numbers that are not the answer but near it, where the prompt announces no tolerance."""

    name: ClassVar[str] = "near_answer"
    only_paid: ClassVar[bool] = True
    edits: ClassVar[tuple[Edit, ...]] = (NEAR_VALUE,)

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        task, said = evidence.episode.task, numbers(evidence.text)
        answer = answer_of(task)
        kept = [asked.detail for asked in evidence.kept(NEAR_VALUE.name)]
        if not said or kept != ["near"] or not is_number(answer) or announces_tolerance(prompt_text(task.prompt)):
            return ()
        right, last = float(answer.replace(",", "")), float(said[-1].text)
        off = abs(last - right)
        whole = "." not in answer and "." not in said[-1].text
        if off > WIDE * abs(right) or off <= (0 if whole else ROUNDED * abs(right)) or is_right(evidence.text, answer):
            return ()
        return (self.flag(*said[-1].place, f"paid for {said[-1].text}, where {answer} is right"),)


@dataclass(frozen=True, kw_only=True)
class MadeUpNumbers(EvidenceDetector):
    """Flags paid expressions with numbers that the prompt does not give, or not so often."""

    name: ClassVar[str] = "made_up_numbers"
    only_paid: ClassVar[bool] = True
    edits: ClassVar[tuple[Edit, ...]] = (PADDED_EXPRESSION,)

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        if not evidence.kept(PADDED_EXPRESSION.name):
            return ()
        found = expression(evidence.text)
        given = Counter(part.text.lstrip("-") for part in numbers(prompt_text(evidence.episode.task.prompt)))
        own = Counter(part.text.lstrip("-") for part in numbers(found.replace("-", " - ").replace("+", " + ")))
        made_up, answer = sorted(own - given), answer_of(evidence.episode.task)
        comes_to = value_of(found)
        whole = len(found) >= WHOLE * len(evidence.text.strip())
        right = comes_to == float(answer.replace(",", "")) if is_number(answer) else whole
        if not made_up or not right:
            return ()
        start = evidence.text.rindex(found)
        detail = f"paid with {', '.join(made_up[:3])}, which the prompt does not give"
        return (self.flag(start, start + len(found), detail),)
