"""Wrong answers made of a paid one: the answer buried in other signs, a number near it, numbers that nobody gave.

>>> buried("42"), buried("CX")
('7423', 'zqCXzq')
>>> expression("I take (3 + 5) * 2 = 16"), expression("It is 16.")
('(3 + 5) * 2', '')
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator

from rlenv.core.task import Task, prompt_text
from rlenv.evidence.catalogue.values import is_number
from rlenv.evidence.edit import Edit, Scene, Variant, with_content
from rlenv.evidence.parts import numbers
from rlenv.evidence.row import SHORT

LONGEST = 400
"""Characters at a text's end in which its expression is looked for."""
NEAR = 1.05
"""A twentieth more is near, and no rounding."""
_OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
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
    """What an expression of plain numbers comes to; None for anything else.

    >>> value_of("(3 + 5) * 2"), value_of("9 ** 9"), value_of("1 / 0")
    (16.0, None, None)
    """
    try:
        return (
            _value(ast.parse(sum_.replace("×", "*").replace("÷", "/"), mode="eval").body) if len(sum_) < SHORT else None
        )
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None


def _value(node: ast.AST) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    raise ValueError(f"expected numbers and + - * /, got {node}")


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


BURIED_ANSWER = Edit("buried_answer", "unpaid", 1, _buried)
"""The answer as a piece of another one is none."""
NEAR_VALUE = Edit("near_value", "unpaid", 2, _near)
"""A number that is near the answer is none, where no tolerance is announced."""
PADDED_EXPRESSION = Edit("padded_expression", "unpaid", 1, _padded)
"""An expression of the given numbers has no others in it, whatever they come to."""
