r"""Where a completion states its final answer: the last `\boxed{}` after the thinking.

>>> final_box(r"<think>\boxed{41}?</think> So \boxed{42}.").text
'42'
>>> final_box(r"\boxed{41} or \boxed{42}").reason
'2 different boxed answers; expected one'

What stands inside `<think>` is not an answer, and an empty box says nothing. Several boxes with the same
value are one answer, with different values none: naming every candidate must not pay. A last box that is
never closed is a completion that was cut while it answered. The scan is one pass, linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from rlenv.verdict import Flag, Verdict

THINK_OPEN, THINK_CLOSE = "<think>", "</think>"
MAX_CANDIDATES = 8
"""More different boxes than this are not even compared."""
_TOKEN = re.compile(r"\\boxed\s*+\{|\\.|[{}]", re.DOTALL)


class Box(NamedTuple):
    """The content of a box, with the span `[start, end)` of the whole `\\boxed{...}` in the completion."""

    text: str
    start: int
    end: int


def equal_text(left: str, right: str) -> bool:
    """Equal but for white space."""
    return "".join(left.split()) == "".join(right.split())


def final_box(completion: str, same: Callable[[str, str], bool] = equal_text) -> Box | Verdict:
    """The box that states the final answer, or the verdict that refuses the completion.

    `same` says whether two contents are one value.
    """
    start, end = answer_span(completion)
    boxes, unclosed = _boxes(completion, start, end)
    if unclosed is not None:
        return refuse("unclosed_box", "the last \\boxed{ is never closed", unclosed, end)
    if not boxes:
        where = "after the thinking" if start else "in the completion"
        return refuse("", f"no \\boxed{{}} with an answer {where}")
    last = boxes[-1]
    others = {box.text for box in boxes[:-1] if not equal_text(box.text, last.text)}
    if len(others) < MAX_CANDIDATES:
        others = {text for text in others if not same(text, last.text)}
    if others:
        reason = f"{len(others) + 1} different boxed answers; expected one"
        return refuse("conflicting_boxes", reason, boxes[0].start, last.end)
    return last


def refuse(flag: str, reason: str, start: int = 0, end: int = 0) -> Verdict:
    """A verdict of 0 with its reason and, where there is something to see, a flag."""
    return Verdict.of(("correct", 0.0), flags=(Flag(flag, start, end),) if flag else (), reason=reason)


def answer_span(completion: str) -> tuple[int, int]:
    """The span after the last `</think>` and before a `<think>` that is opened again."""
    close = completion.rfind(THINK_CLOSE)
    start = 0 if close < 0 else close + len(THINK_CLOSE)
    again = completion.find(THINK_OPEN, start)
    return start, len(completion) if again < 0 else again


def _boxes(text: str, start: int, end: int) -> tuple[list[Box], int | None]:
    """The closed boxes in order of their ends, and where an unclosed one after the last of them begins."""
    boxes: list[Box] = []
    opened: list[tuple[int, int] | None] = []  # (start of the box, start of its content); None is a plain brace
    for token in _TOKEN.finditer(text, start, end):
        symbol = token[0]
        if symbol == "{":
            opened.append(None)
        elif symbol == "}":
            box = opened.pop() if opened else None
            if box is not None and text[box[1] : token.start()].strip():
                boxes.append(Box(text[box[1] : token.start()], box[0], token.end()))
        elif symbol.endswith("{") and len(symbol) > 2:
            opened.append((token.start(), token.end()))
    closed_to = boxes[-1].end if boxes else 0
    unclosed = next((box[0] for box in opened if box is not None and box[0] >= closed_to), None)
    return boxes, unclosed
