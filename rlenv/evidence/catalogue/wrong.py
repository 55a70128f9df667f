"""Wrong answers made of a paid one: buried in other signs, near it, of numbers that nobody gave, of another task.

>>> buried("42"), buried("CX")
('7423', 'zqCXzq')
>>> expression("I take (3 + 5) * 2 = 16"), expression("It is 16.")
('(3 + 5) * 2', '')
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rlenv.core.task import Task, prompt_text
from rlenv.evidence.catalogue.values import is_number
from rlenv.evidence.evidence import Edit, Scene, Variant, with_content
from rlenv.evidence.parts import numbers
from rlenv.evidence.row import SHORT
from rlenv.text.expression import EXACT, Unreadable, read

LONGEST = 400
"""Characters at a text's end in which its expression is looked for."""
NEAR = 1.05
"""A twentieth more is near, and no rounding."""
_GIVEN = re.compile(
    r"\b(?:each|every|all|only|these|given|exactly)\b[^.?!]{0,60}\bnumbers?\b|\bnumbers?\b[^.?!]{0,80}\b(?:once|only)\b",
    re.IGNORECASE,
)  # "use each number once", "using only the numbers 3, 5 and 7": a hint that numbers are given, asked before any flag
_EXPRESSION = re.compile(r"[(\d][\d\s.()+*/×÷-]*[-+*/×÷][\d\s.()+*/×÷-]*[\d)]")  # (3 + 5) * 2, not 16


def answer_of(task: Task) -> str:
    """The reference as a short text that is looked for in completions; empty where it is none."""
    reference = task.reference
    if isinstance(reference, bool) or not isinstance(reference, str | int | float):
        return ""
    text = str(reference).strip()
    return text if len(text) <= SHORT and "\n" not in text else ""


def buried(answer: str) -> str:
    """The answer as a piece of another one: digits around digits, letters around letters."""
    return f"7{answer}3" if answer[:1].isdigit() and answer[-1:].isdigit() else f"zq{answer}zq"


def expression(text: str) -> str:
    """The last expression of a text that is more than a number, without what it is said to equal."""
    found = [match[0].strip() for match in _EXPRESSION.finditer(text[-LONGEST:])]
    return found[-1] if found else ""


def value_of(sum_: str) -> float | None:
    """What an expression of whole numbers comes to; None for anything else.

    >>> value_of("(3 + 5) * 2"), value_of("9 ** 9"), value_of("1 / 0")
    (16.0, None, None)
    """
    try:
        return float(read(sum_, EXACT).value)
    except (Unreadable, OverflowError):
        return None


def numbers_are_given(task: Task) -> bool:
    """Whether a prompt says with which numbers to work."""
    prompt = prompt_text(task.prompt)
    return len(numbers(prompt)) > 1 and _GIVEN.search(prompt) is not None


def _buried(scene: Scene) -> Iterator[Variant]:
    answer, text = answer_of(scene.task), scene.text
    if answer and answer in text:
        yield Variant(scene.task, with_content(scene.completion, text.replace(answer, buried(answer))))
    elif answer and answer.casefold() in text.casefold():
        yield Variant(scene.task, with_content(scene.completion, buried(answer)))


def _near(scene: Scene) -> Iterator[Variant]:
    """A number near the reference in the place of the last one, and one that is far: who pays for it reads none."""
    answer, said = answer_of(scene.task), numbers(scene.text)
    if not is_number(answer) or not said:
        return
    right, (start, end) = float(answer.replace(",", "")), said[-1].place
    if abs(right) < 20 and "." not in answer:  # a whole number has no other one near it
        return
    digits = len(answer.partition(".")[2])
    for value, detail in ((right * NEAR, "near"), (right * 3 + 7, "far")):
        text = f"{scene.text[:start]}{value:.{digits}f}{scene.text[end:]}"
        yield Variant(scene.task, with_content(scene.completion, text), detail=detail)


def _padded(scene: Scene) -> Iterator[Variant]:
    found = expression(scene.text) if numbers_are_given(scene.task) else ""
    if found:
        place = scene.text.rindex(found)
        text = f"{scene.text[:place]}{found} + 61473 - 61473{scene.text[place + len(found) :]}"
        yield Variant(scene.task, with_content(scene.completion, text))


BURIED_ANSWER = Edit("buried_answer", 1, _buried)
"""The answer as a piece of another one is none."""
NEAR_VALUE = Edit("near_value", 2, _near)
"""A number that is near the answer is none, where no tolerance is announced."""
PADDED_EXPRESSION = Edit("padded_expression", 1, _padded)
"""An expression of the given numbers has no others in it, whatever they come to."""


def _elsewhere(scene: Scene) -> Iterator[Variant]:
    for other in scene.others:
        yield Variant(other, scene.completion, detail=f"task {other.id}")


ANOTHER_TASK = Edit("another_task", 3, _elsewhere, alike=True)
"""What does one task does not do others with other answers."""
