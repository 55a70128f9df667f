r"""Judges an answer to `math/countdown-v0`: an expression that reaches the target with the numbers given.

>>> from rlenv import Completion, Task
>>> check = CountdownVerifier()
>>> task = Task("?", 24, metadata={"numbers": [2, 3, 4, 9]})
>>> for said in ("(9 - 3) * 4", "4 * (9 - 3) = 24", "24", "12 * 2", "3 * 4 * 2 * (9 - 2 * 4)"):
...     verdict = check.verify(task, Completion(f"<answer>{said}</answer>"))
...     print(verdict.reward, [flag.name for flag in verdict.flags], verdict.reason)
1.0 [] (9 - 3) * 4 reaches 24
1.0 [] 4 * (9 - 3) reaches 24
0.0 ['target_restated'] 24 is not among the numbers 2, 3, 4, 9
0.0 ['number_not_given'] 12 is not among the numbers 2, 3, 4, 9
0.0 ['number_reused'] 2 and 4 are used more often than they are given

The answer is what the last `<answer>` of the content holds, else the last `\boxed{}`. One equal sign may
stand in it, with the target itself, and nothing else, on its other side. Fractions on the way are exact.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rlenv.core.completion import Completion
from rlenv.core.errors import TaskError
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.envs.expression import EXACT, Unreadable, read
from rlenv.envs.math.boxed import answer_tail, refuse
from rlenv.text.boxes import Box, find_boxes

Use: TypeAlias = Literal["at_most_once", "exactly_once"]
USES: tuple[Use, ...] = ("at_most_once", "exactly_once")
MAX_NUMBERS, LARGEST = 16, 999_999
_OPEN, _CLOSE = "<answer>", "</answer>"


@dataclass(frozen=True)
class CountdownVerifier:
    """1 for an expression that reaches the target by the rules, 0 for anything else."""

    use: Use = "at_most_once"
    """Whether numbers may be left out."""
    cheap: bool = True

    @property
    def version(self) -> str:
        return f"countdown-2-{self.use}"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        target, given = _asked(task)
        content = completion.content
        return self._judged(content.text, target, given).placed(content)

    def _judged(self, said: str, target: int, given: tuple[int, ...]) -> Verdict:
        stated = _stated(said)
        if isinstance(stated, Verdict):
            return stated
        place = stated.place(said)
        expression = _without_target(stated.text, target)
        if expression is None:
            name = "equation_chain" if stated.text.count("=") > 1 else ""
            reason = f"expected an expression, or an expression = {target}, got {stated.text[:80]!r}"
            return refuse(name, reason, *place, answer=place)
        flag, reason = self._fault(expression, target, given)
        if reason:
            return refuse(flag, reason, *place, answer=place)
        return Verdict.of(("correct", 1.0), reason=f"{expression} reaches {target}", answer=place)

    def _fault(self, expression: str, target: int, given: tuple[int, ...]) -> tuple[str, str]:
        """The flag and the reason of a refusal, both empty for a right answer."""
        try:
            reading = read(expression, EXACT)
        except Unreadable as problem:
            return "", f"{expression[:80]!r} is not an expression of the four operations: {problem}"
        if len(reading.numbers) > MAX_NUMBERS or max(reading.numbers) > LARGEST:
            return "", f"{expression[:80]!r} has more than {MAX_NUMBERS} numbers, or one above {LARGEST}"
        foreign = sorted(set(reading.numbers) - set(given))
        if foreign:
            among = ", ".join(map(str, given))
            name = "target_restated" if reading.numbers == (target,) else "number_not_given"
            return name, f"{_listed(foreign)} is not among the numbers {among}"
        used = reading.numbers
        reused = sorted({number for number in used if used.count(number) > given.count(number)})
        if reused:
            are = "is" if len(reused) == 1 else "are"
            return "number_reused", f"{_listed(reused)} {are} used more often than they are given"
        left = sorted((Counter(given) - Counter(used)).elements()) if self.use == "exactly_once" else []
        if left:
            return "", f"every number must be used, {_listed(left)} is left"
        return ("", "") if reading.value == target else ("", f"{expression} is {reading.value}, not {target}")


def _asked(task: Task) -> tuple[int, tuple[int, ...]]:
    """The target and the numbers. Raises TaskError where the task does not have them."""
    column, target = task.metadata.get("numbers"), task.reference
    numbers = [number for number in column if type(number) is int] if isinstance(column, (list, tuple)) else []
    if isinstance(target, str) and target.isascii() and target.isdecimal():
        target = int(target)
    if type(target) is not int or not numbers or column not in (numbers, tuple(numbers)):
        raise TaskError(
            f"task {task.id}: expected a whole number as the reference and a list of whole numbers in the column "
            f"'numbers', got {task.reference!r} and {column!r}"
        )
    return target, tuple(numbers)


def _stated(text: str) -> Box | Verdict:
    start, end = answer_tail(text)
    opened, closed = text.rfind(_OPEN, start, end), text.rfind(_CLOSE, start, end)
    if opened > closed:
        return refuse("unclosed_answer", "the last <answer> is never closed", opened, end)
    if opened >= 0:
        return Box(text[opened + len(_OPEN) : closed].strip(), opened + len(_OPEN), closed)
    boxes, unclosed = find_boxes(text, start, end)
    if unclosed is not None:
        return refuse("unclosed_box", "the last \\boxed{ is never closed", unclosed, end)
    return boxes[-1] if boxes else refuse("", "expected <answer>...</answer>, found none")


def _without_target(text: str, target: int) -> str | None:
    """The expression of `expression`, `expression = target` or `target = expression`; None for any other equation."""
    sides = [side.strip() for side in text.split("=")]
    if len(sides) == 1:
        return sides[0]
    if len(sides) != 2 or str(target) not in sides:
        return None
    return sides[0] if sides[1] == str(target) else sides[1]


def _listed(numbers: list[int]) -> str:
    return " and ".join(map(str, numbers))
