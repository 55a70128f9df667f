"""What is paid as an answer and is none: wrong ones, texts without one, several at once.

Wrong answers that are paid: the right one is a piece of them, they are near it, or made of numbers of their own.

Measured: no reader, however kind, takes the text for the right answer. Asked: the same text with the answer buried
deeper, with another number near the answer, with numbers that nobody gave. A flag is pay that stays, so that a right
answer that is only written otherwise is none: those edits make it wrong, and a sound reward pays them nothing.

Paid without an answer: a text that holds neither the answer nor what it is made of.

Measured, of a task with one number as its answer: that number stands nowhere in what was thought and said, and others
do, or no number of the prompt does. What is paid as a right answer is then no answer, or a wrong one.

Several answers at once: the completion is paid under references that exclude each other.

Asked: the same completion with other values that stand in it as the task's reference. Values in boxes, tags and answer
lines are answers by their form. Of numbers in plain text those count that the text does not work with: numbers of the
prompt and sides of an equation are work. Where a sentence has the right one alone and none has another alone, or an
equation ends in it, the text has chosen. Labels are the answers of other tasks and the options of the prompt.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from rlenv.core.task import prompt_text
from rlenv.core.verdict import Flag
from rlenv.core.wrapper import State
from rlenv.evidence.answers import announces_tolerance
from rlenv.evidence.catalogue import MARKED_VALUE, SAID_VALUE
from rlenv.evidence.catalogue.values import SMALL, is_number
from rlenv.evidence.catalogue.wrong import BURIED_ANSWER, NEAR_VALUE, PADDED_EXPRESSION, answer_of, expression, value_of
from rlenv.evidence.detector import AskingDetector, PaidDetector
from rlenv.evidence.evidence import Edit, EditVerdict, Evidence
from rlenv.evidence.parts import marked, numbers, standing, units
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
class AnswerAnywhere(AskingDetector):
    """Flags paid texts that hold the right answer and give another one, or none."""

    name: ClassVar[str] = "answer_anywhere"
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
class NearAnswer(AskingDetector):
    """Flags paid numbers that are not the answer but near it, where the prompt announces no tolerance."""

    name: ClassVar[str] = "near_answer"
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
class MadeUpNumbers(AskingDetector):
    """Flags paid expressions with numbers that the prompt does not give, or not so often."""

    name: ClassVar[str] = "made_up_numbers"
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


NEAR = 0.01
"""Numbers that differ by this share of the answer may be the answer, rounded."""
APART = 0.1
"""Two numbers in a row that hold the answer between them, so far apart at most as a share of it, are the answer."""
_BLANK = re.compile(r"[,\s]")  # of 1,250 and 1 250


@dataclass(frozen=True, kw_only=True)
class NoAnswer(PaidDetector):
    """Flags paid completions that hold neither the answer nor what it is made of."""

    name: ClassVar[str] = "no_answer"

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        reference = evidence.episode.task.reference
        judged = is_number(reference) and not evidence.several_turns
        detail = _untouched(evidence, str(reference)) if judged else ""
        return (self.flag(0, len(evidence.text), detail),) if detail else ()


def _untouched(evidence: Evidence, reference: str) -> str:
    """Why the text does not touch a task that asks for this number; empty where it does."""
    answer = float(reference.replace(",", ""))
    given = {float(part.text) for part in numbers(prompt_text(evidence.episode.task.prompt))}
    given = {value for value in given if abs(value) > SMALL}
    said = [float(part.text) for part in numbers(evidence.whole)]
    if (
        abs(answer) <= SMALL
        or answer in given
        or reference.replace(",", "") in _BLANK.sub("", evidence.whole)
        or _near(said, answer)
    ):
        return ""
    if said:
        return f"{reference} stands nowhere in it, and other numbers do"
    if not given:
        return ""
    return f"neither {reference} nor a number of the prompt stands in it"


def _near(said: list[float], answer: float) -> bool:
    """Whether one of these numbers may be the answer, or two in a row say between what it lies."""
    size = abs(answer)
    ranges = ((low, high) for low, high in pairwise(map(abs, said)) if high - low <= APART * size)
    return any(abs(abs(value) - size) <= NEAR * size for value in said) or any(a <= size <= b for a, b in ranges)


_WORKED = re.compile(r"(?:[-+*/×÷·^=<>≈(]|\d\s*:)\s*$|^\s*[-+*/×÷·^=<>≈)%]")  # around the 7 of "3 + 7", "7 =" and "4:7"

_MARKS = re.compile(r"\\boxed\{[^{}]*\}|</?answer>|<answer>.*?</answer>")  # \boxed{7} and <answer>7</answer>
_JOINED = re.compile(r"\s*(?:,|;|/|\b(?:or|and|oder|ou|o)\b)\s*", re.IGNORECASE)  # 20 or 22
_LEAD = re.compile(r"^.*?(?:\banswer\b|\bit is\b|\beither\b)[\s:is]*", re.IGNORECASE)  # "The answer is "
LONGEST = 2_000
"""Characters of a text that may be a hedge and nothing else."""
_SUM = re.compile(r"[\d.,]+(?:\s*[-+*/×÷·^=<>≈]\s*[\d.,]+)+")  # 2^1 = 2


def _chosen(right: str, others: Sequence[EditVerdict], text: str) -> bool:
    """Whether a text says which it takes: alone in a sentence, as none of the others is, or behind an equals sign."""
    values = [right, *(other.detail for other in others)]
    alone: set[str] = set()
    for unit in units(text):
        said = [value for value in values if _holds(_SUM.sub("", unit.text), value)]
        alone |= set(said if len(said) == 1 else ())
    return alone == {right} or _holds(text, right, r"=\s*")


def _holds(text: str, value: str, behind: str = "") -> bool:
    return re.search(rf"(?<![\w.]){behind}{re.escape(value)}(?!\w|\.\d)", text, re.IGNORECASE) is not None


@dataclass(frozen=True, kw_only=True)
class SeveralAnswers(AskingDetector):
    """Flags completions that are paid under other references that they name as well."""

    name: ClassVar[str] = "several_answers"
    edits: ClassVar[tuple[Edit, ...]] = (MARKED_VALUE, SAID_VALUE)
    marked: int = 3
    """So many other values in boxes, tags or answer lines: a second one may be a correction."""
    plain: int = 3
    """So many other values in plain text that nothing is worked out with; of"""
    labels: int = 2
    """labels, which are fewer, so many: a text that weighs two names one beside the right one."""

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        hedged = self._hedged(evidence)
        if hedged:
            return hedged
        answers = self._named(evidence)
        if not answers or _chosen(str(evidence.episode.task.reference), answers, evidence.text):
            return ()
        said = ", ".join(answer.detail for answer in answers)
        start, end = min(a.place.start for a in answers), max(a.place.end for a in answers)
        return (self.flag(start, end, f"paid as well if the answer were {said}"),)

    def _hedged(self, evidence: Evidence) -> tuple[Flag, ...]:
        """Two values and more that are all that an answer says, each of them paid if it were the right one."""
        if len(evidence.text) > LONGEST:
            return ()
        paid = [*evidence.kept(MARKED_VALUE.name), *evidence.kept(SAID_VALUE.name)]
        values = {asked.detail for asked in paid if asked.detail}
        right = str(evidence.episode.task.reference)
        boxes = [part.text for part in marked(evidence.text)]
        rest = _MARKS.sub(" ", evidence.text)
        if len(boxes) > 1 and right in boxes and values & {*boxes} and len(rest.split()) <= len(boxes):
            return (self.flag(0, len(evidence.text), f"{len(boxes)} boxes, and any of them may be right"),)
        last = next((line for line in reversed(evidence.text.splitlines()) if line.strip()), "")
        said = [value for value in _JOINED.split(_LEAD.sub("", last).strip(" .!*$")) if value]
        both = len(said) > 1 and right in said and all(value == right or value in values for value in said)
        start = evidence.text.rindex(last)
        return (self.flag(start, start + len(last), f"says {' or '.join(said[:4])} as its answer"),) if both else ()

    def _among(self, evidence: Evidence, edit: Edit, least: int) -> list[EditVerdict]:
        """The values that are paid, so many of them; none where one is that stands nowhere, without a detail."""
        kept = evidence.kept(edit.name)
        return kept if len(kept) >= least and all(asked.detail for asked in kept) else []

    def _named(self, evidence: Evidence) -> list[EditVerdict]:
        """The marked values, or else the plain ones, that are paid."""
        answers = self._among(evidence, MARKED_VALUE, self.marked)
        if answers:
            return answers
        answers, right = list(self._undecided(evidence)), evidence.episode.task.reference
        least = self.plain if not isinstance(right, str) or is_number(right) else self.labels
        return answers if len(answers) >= least else []

    def _undecided(self, evidence: Evidence) -> Iterator[EditVerdict]:
        """The plain values that are paid and are no work."""
        given = {part.text for part in numbers(prompt_text(evidence.episode.task.prompt))}
        for asked in self._among(evidence, SAID_VALUE, 1):
            start, end = asked.place
            around = (evidence.text[max(0, start - 3) : start], evidence.text[end : end + 3])
            if asked.detail not in given and not any(_WORKED.search(side) for side in around):
                yield asked
