r"""For sets whose answers are numbers: the right value must be written as a number, not as the sum that leads to it.

>>> from rlenv import Completion, Task
>>> check = NumeralVerifier(MathVerifier())
>>> for said in (r"\boxed{22}", r"\boxed{72 - 50 = 22}", r"\boxed{72 - 50}", r"\boxed{\frac{44}{2}}"):
...     print(check.verify(Task("How many buns are left?", "22"), Completion(said)).reward)
1.0
1.0
0.0
0.0

A policy that is paid for `\boxed{6*12-50}` learns to leave the last step to the verifier. What MathVerifier refuses
stays refused; of what it accepts, the last side must hold one number, equal to the reference, or a fraction where the
reference is none. Units, currency, degrees, percent signs and words such as `million` may stand beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from rlenv.core.completion import Completion
from rlenv.core.errors import TaskError
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.envs.math.extract import answer_of
from rlenv.envs.math.statement import Refusal
from rlenv.envs.math.verifier import MathVerifier
from rlenv.evaluation.second_opinion import Proof

MAX_CHARS = 400
_GROUPED = re.compile(r"(?<=[0-9])(?:\{,\}|\\!|\\,|\\ |,|_| )+(?=[0-9]{3}(?![0-9]))")
_UNIT_POWER = re.compile(r"\^\s*\{?\s*(?:\\circ|°|(?<=[A-Za-z}]\^)[23]|(?<=[A-Za-z}]\^\{)[23])\s*\}?")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+")
_SCALED = re.compile(r"hundred|thousand|million|billion|trillion|dozen|half|\bk\b", re.IGNORECASE)


@dataclass(frozen=True)
class NumeralVerifier:
    """As the verifier inside, but a value that is left to be worked out is worth 0, with the flag `left_undone`."""

    inner: MathVerifier
    cheap: bool = False

    @property
    def version(self) -> str:
        return f"numeral-1-{self.inner.version}"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return self._written_out(task, completion, self.inner.verify(task, completion))

    def verify_cheaply(self, task: Task, completion: Completion) -> Verdict | None:
        verdict = self.inner.verify_cheaply(task, completion)
        return None if verdict is None else self._written_out(task, completion, verdict)

    def proof(self, verdict: Verdict) -> Proof:
        """What is flagged for its form proves nothing."""
        return self.inner.proof(verdict)

    def _written_out(self, task: Task, completion: Completion, verdict: Verdict) -> Verdict:
        if verdict.reward != 1.0:
            return verdict
        found, passage = answer_of(completion, self.inner.policy)
        if isinstance(found, Refusal) or is_numeral(found.result or found.text, _gold(task)):
            return verdict
        flag = Flag("left_undone", *passage.place(found.start, found.end))
        reason = f"{found.text[:80]!r} has the right value, but is not a number"
        return Verdict.of(
            ("correct", 0.0),
            scores=verdict.scores,
            flags=(*verdict.flags, flag),
            reason=reason,
            answer=verdict.answer,
        )


def is_numeral(answer: str, gold: Fraction) -> bool:
    """Whether the last side of an answer, whose value is right, states it as a number."""
    side = answer[-MAX_CHARS:].rpartition("=")[2]
    side = _UNIT_POWER.sub("", _GROUPED.sub("", side))
    numbers = [Fraction(number) for number in _NUMBER.findall(side)]
    gold = abs(gold)
    if len(numbers) == 1:
        return numbers[0] in (gold, 100 * gold) or bool(_SCALED.search(side))
    if gold.denominator == 1 or not all(numbers[-1:]):
        return not numbers  # a number in words
    parts = [numbers[0] / numbers[1]] if len(numbers) == 2 else []
    parts += [numbers[0] + numbers[1] / numbers[2]] if len(numbers) == 3 else []
    return gold in parts


MAX_EXPONENT_CHARS = 4
"""Of a reference in scientific notation: a Fraction writes all of its digits out."""


def _gold(task: Task) -> Fraction:
    text = str(task.reference).replace(",", "").strip(" $")
    try:
        if len(text.lower().partition("e")[2]) > MAX_EXPONENT_CHARS:
            raise ValueError("the exponent is too long")
        return Fraction(text)
    except (ValueError, ZeroDivisionError) as error:
        raise TaskError(f"task {task.id}: expected a number as the reference, got {task.reference!r}") from error
