r"""The steps of `process/arithmetic-v0`: equations between semicolons, and what scores them.

>>> from rlenv import Completion, Task
>>> from rlenv.scorers import Stepped
>>> text = r"3+8=11;11+5=17;17+9=26;\boxed{26}"
>>> job = Stepped(Task("3+8+5+9=?", "25", metadata={"expression": "3+8+5+9"}), Completion(text), read(text).spans)
>>> ReductionSteps().score_steps([job])[0].values
(1.0, 0.0, 1.0, 1.0)

A step is right where its equation holds, its two numbers stand side by side in what is left of the expression, and
each is used once; the box is right where nothing else is left. A wrong result is carried on: the mistake is counted
where it was made, and once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rlenv.core.errors import TaskError
from rlenv.core.task import Task
from rlenv.core.verdict import Flag
from rlenv.envs.process.reading import StepReading, tripped
from rlenv.envs.process.steps import Span, split
from rlenv.envs.working import Operation, Part, begin, take
from rlenv.scorers.scorer import Stepped, StepScores
from rlenv.text.expression import Unreadable

_INTEGER = r"[+-]?[0-9]{1,9}"
_EQUATION = re.compile(rf"(?:\(({_INTEGER})\)|({_INTEGER}))([+*-])(?:\(({_INTEGER})\)|({_INTEGER}))=({_INTEGER})")
_BOX = re.compile(rf"\\boxed\{{({_INTEGER})\}}\.?")
MAX_STEPS = 32
"""More steps than this are not read."""


@dataclass(frozen=True)
class EquationReader:
    """Cuts at semicolons; what is neither an equation nor the box at the end trips."""

    version: str = "equations-1"

    def read(self, text: str) -> StepReading:
        return read(text)


def read(text: str) -> StepReading:
    """The steps. Every trick with their number or size trips, so that it earns what no step at all earns."""
    spans = split(text, "separators")
    trips = []
    if len(spans) > MAX_STEPS:
        trips.append(Flag("too_many_steps", *spans[MAX_STEPS], f"{len(spans)} steps; read are {MAX_STEPS}"))
    for span in spans[:MAX_STEPS]:
        trips += _odd(text, span)
    boxes = [span for span in spans[:MAX_STEPS] if boxed(text[slice(*span)]) is not None]
    if boxes and boxes[0] != spans[-1]:
        trips.append(Flag("steps_after_the_answer", boxes[0][1], len(text), "the first box ends the steps"))
    if not trips and not any(operation(text[slice(*span)]) for span in spans):
        trips.append(Flag("no_steps", *(spans[-1] if spans else (0, len(text))), "expected equations before the box"))
    return tripped(spans[:MAX_STEPS], trips)


def _odd(text: str, span: Span) -> list[Flag]:
    """A step that is two steps in one, a piece of a step, or no step."""
    step = text[slice(*span)]
    if operation(step) is not None or boxed(step) is not None:
        return []
    if step.count("=") + step.count("\\boxed") > 1:
        return [Flag("giant_step", *span, "expected one equation a step")]
    return [Flag("unreadable_step", *span, "expected `a+b=c`, with + - or *, of whole numbers")]


def operation(step: str) -> Operation | None:
    """The equation that the step is, or None."""
    found = _EQUATION.fullmatch("".join(step.split())) if len(step) <= 100 else None
    if found is None:
        return None
    return Operation(int(found[1] or found[2]), found[3], int(found[4] or found[5]), int(found[6]))


def boxed(step: str) -> int | None:
    """The whole number that the step boxes, or None."""
    found = _BOX.fullmatch(step.strip()) if len(step) <= 100 else None
    return None if found is None else int(found[1])


@dataclass(frozen=True)
class ReductionSteps:
    """1 for a step that is right in this expression at this place, else 0, with the reason."""

    name: str = "reduction_steps"
    version: str = "1"
    cheap: bool = True
    bounded: bool = True
    """MAX_STEPS of a hundred characters are looked at."""

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        return [_reduced(_begun(job.task), job.texts) for job in jobs]


def _reduced(states: frozenset[Part], steps: Sequence[str]) -> StepScores:
    reasons = []
    for step in steps:
        found, answer = operation(step), boxed(step)
        if answer is not None:
            reasons.append("" if answer in states else "the box is not what the steps lead to")
        elif found is None:
            reasons.append("no equation")
        else:
            after = take(states, found)
            states = after or states
            used = "" if after else "its numbers do not stand side by side in what is left"
            reasons.append(used or ("" if found.holds else "the equation does not hold"))
    return StepScores(tuple(float(not reason) for reason in reasons), tuple(reasons))


def _begun(task: Task) -> frozenset[Part]:
    """The state before any step."""
    expression = task.metadata.get("expression")
    try:
        return begin(str(expression))
    except Unreadable as problem:
        raise TaskError(
            f"task {task.id}: expected an 'expression' with + - * in the row, got {str(expression)[:80]!r}: {problem}"
        ) from problem
