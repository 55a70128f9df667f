r"""The one box that states the answer: the strict rule, for answers that are nothing but a value.

>>> final_box(r"So \boxed{41}.").text
'41'
>>> final_box(r"\boxed{41} or \boxed{42}").reason
'2 different boxed answers; expected one'
"""

from __future__ import annotations

from collections.abc import Callable

from rlenv.core.verdict import Flag, Verdict
from rlenv.envs.math.tail import answer_tail
from rlenv.text.boxes import Box, find_boxes

MAX_COMPARED = 8
"""More different boxes than this are not even compared."""


def equal_text(left: str, right: str) -> bool:
    """Equal but for white space."""
    return left == right or "".join(left.split()) == "".join(right.split())


def final_box(text: str, same: Callable[[str, str], bool] = equal_text) -> Box | Verdict:
    """The one box of a text that states the answer, or the verdict that refuses it: the strict rule.

    Here boxes with different values are no answer at all. `same` says whether two contents are one value.
    """
    start, end = answer_tail(text)
    boxes, unclosed = find_boxes(text, start, end)
    if unclosed is not None:
        return refuse("unclosed_box", "the last \\boxed{ is never closed", unclosed, end)
    if not boxes:
        return refuse("", "no \\boxed{} with an answer")
    last = boxes[-1]
    others = {box.text for box in boxes[:-1] if not equal_text(box.text, last.text)}
    if len(others) < MAX_COMPARED:
        others = {value for value in others if not same(value, last.text)}
    if others:
        reason = f"{len(others) + 1} different boxed answers; expected one"
        return refuse("conflicting_boxes", reason, boxes[0].start, last.end)
    return last


def refuse(flag: str, reason: str, start: int = 0, end: int = 0, answer: tuple[int, int] | None = None) -> Verdict:
    """A verdict of 0 with its reason and, where there is something to see, a flag."""
    flags = (Flag(flag, start, end),) if flag else ()
    return Verdict.of(("correct", 0.0), flags=flags, reason=reason, answer=answer)
