r"""The one box that states the answer: the strict rule, for answers that are only a value, such as whole numbers.

>>> final_box(r"So \boxed{41}.").text
'41'
>>> final_box(r"\boxed{41} or \boxed{42}").reason
'2 different boxed answers; expected one'
>>> from rlenv import Completion, Task
>>> check = IntegerVerifier()
>>> [check.verify(Task("3+8=?", "11"), Completion(text)).reward for text in (r"\boxed{11}", r"\boxed{3+8}", "11")]
[1.0, 0.0, 0.0]

Only the last MAX_CHARS characters before another turn are searched, however much is said: a final answer stands at the
end, and what a search costs stays bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from rlenv.core.completion import Completion
from rlenv.core.errors import TaskError
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.text.boxes import Box, find_boxes

Span: TypeAlias = "tuple[int, int]"
MAX_CHARS = 32_768
_TURN_ENDS = ("<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "<|eom_id|>", "</s>")
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
    if len(boxes) == 1:
        return last
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


def answer_tail(text: str) -> Span:
    """The span that is searched for an answer: before the first token that ends a turn, cut to its tail.

    >>> answer_tail("So 42.<|im_end|>")
    (0, 6)
    """
    end = len(text)
    if "<" in text:
        end = _turn_end(text, max(0, end - MAX_CHARS), end)
    return max(0, end - MAX_CHARS), end


def _turn_end(text: str, start: int, end: int) -> int:
    """Where the first token that ends a turn stands, ignoring those that open the text."""
    for token in _TURN_ENDS:
        found = text.find(token, start, end)
        if found >= 0 and text[start:found].strip():
            end = found
    return end


_INTEGER = re.compile(r"[+-]?[0-9]+")  # 42, -7, +3


@lru_cache(maxsize=4096)
def _right(start: int, end: int) -> Verdict:
    """Verdicts are immutable, so right answers in one place share theirs: making it takes longer than judging."""
    return Verdict.of(("correct", 1.0), answer=(start, end))


@dataclass(frozen=True)
class IntegerVerifier:
    """The answer is an optional sign and at most `max_digits` digits; anything else is worth 0."""

    max_digits: int = 20
    cheap: bool = True
    version: str = "boxed-integer-2"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        expected = self._integer(str(task.reference))
        if expected is None:
            raise TaskError(f"task {task.id}: expected an integer as the reference, got {task.reference!r}")
        content = completion.content
        return self._judged(content.text, expected).placed(content)

    def _judged(self, said: str, expected: int) -> Verdict:
        box = final_box(said, self._same)
        if isinstance(box, Verdict):
            return box
        answer = self._integer(box.text)
        if answer == expected:
            return _right(*box.place(said))
        what = "not a whole number" if answer is None else f"got {answer}, expected {expected}"
        return refuse("", f"boxed answer: {what}", answer=box.place(said))

    def _same(self, left: str, right: str) -> bool:
        value = self._integer(left)
        return value is not None and value == self._integer(right)

    def _integer(self, text: str) -> int | None:
        text = text.strip()
        if len(text) > self.max_digits + 1 or _INTEGER.fullmatch(text) is None:
            return None
        return int(text)
