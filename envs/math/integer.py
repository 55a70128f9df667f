r"""Judges a whole number in the last `\boxed{}`: string work only, so it runs inline.

>>> from rlenv import Completion, Task
>>> check = IntegerVerifier()
>>> [check.verify(Task("3+8=?", "11"), Completion(text)).reward for text in (r"\boxed{11}", r"\boxed{3+8}", "11")]
[1.0, 0.0, 0.0]
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rlenv.core.completion import Completion
from rlenv.core.errors import TaskError
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.envs.math.boxed import final_box, refuse

_INTEGER = re.compile(r"[+-]?[0-9]+")


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
