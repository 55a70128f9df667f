r"""`format/regex-v0`: write a value in the form that a regular expression asks for.

>>> import rlenv
>>> task = {"prompt": "Write 3 March 2021 ...", "answer": "2021-03-03", "pattern": r"\d{4}-\d{2}-\d{2}"}
>>> def reward(completion, **kwargs):
...     env = rlenv.make("format/regex-v0", **kwargs)
...     _ = env.reset(options={"task": task})
...     return env.step(completion)[1]
>>> reward("2021-03-03"), reward(" 2021-03-03\n"), reward("2021-03-30"), reward("3 March 2021")
(1.0, 1.0, 0.0, 0.0)
>>> reward("2021-03-30", pay="shape")
0.2

All that is said, white space around it apart, must match the whole pattern. The pattern alone is met by any
filler, so it pays only together with the right value; `pay="shape"` asks for the opposite in so many words. Rows
of others (prompt, pattern and answer) hold patterns that RE2 reads, so that none backtracks. An operator who trusts
the patterns of his rows may say `engine="re"`: they are matched by Python's `re`, in a process that can be killed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition, reference_text
from rlenv.core.errors import TaskError
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.core.verifier import over_limit
from rlenv.door.patterns import linear, valid
from rlenv.envs.format.notations import PATTERNS, draw_notation
from rlenv.envs.format.paid import paid
from rlenv.envs.format.tasks import check_choice, task_sets
from rlenv.envs.levels import SIZE

MAX_CHARS = 100_000
MAX_INLINE_STEPS, MAX_STEPS = 30_000_000, 200_000_000
"""A tenth of a second at 3 ns a step, the slowest that was found; more is matched in a process that can be killed, and
more than the second number not at all."""


def _draw(rng: np.random.Generator) -> tuple[str, Callable[[], Task]]:
    told, pattern, written = draw_notation(rng)
    prompt = f"Write {told}, as one line that matches this regular expression in full, and nothing else:\n{pattern}"
    return f"{pattern} {written}", lambda: Task(prompt, written, metadata={"pattern": pattern})


def regex_format(
    split: str = "train",
    seed: int = 0,
    size: int = SIZE,
    data: str | None = None,
    pay: str = "correct",
    engine: str = "re2",
) -> Definition:
    """Values made by code out of a split, or the rows of a file with columns prompt, pattern and answer.

    With `pay="shape"` a wrong value in the right form earns the part `format` (0.2). `engine="re"` reads patterns with
    lookaheads and backreferences too; a row cannot ask for it.
    """
    check_choice("pay", pay, "correct", "shape")
    check_choice("engine", engine, "re2", "re")
    sets = task_sets(_draw, split, seed, size, data)
    return Definition(
        tasks=sets.tasks,
        verifier=RegexVerifier(pay_shape=pay == "shape", backtracking=engine == "re"),
        solution=reference_text,
        demonstrations=sets.demonstrations,
        max_completion_chars=MAX_CHARS,
        description="a value in the notation of a regular expression",
    )


@dataclass(frozen=True)
class RegexVerifier:
    """The content must match in full and equal the reference."""

    pay_shape: bool = False
    backtracking: bool = False
    cheap: bool = False

    @property
    def version(self) -> str:
        return f"regex-3{'-shape' if self.pay_shape else ''}{'-re' if self.backtracking else ''}"

    def verify_cheaply(self, task: Task, completion: Completion) -> Verdict | None:
        pattern = self._pattern(task)
        if isinstance(pattern, re.Pattern):
            bounded = pattern.pattern in _OWN
        else:
            bounded = self._steps(pattern, task, completion) <= MAX_INLINE_STEPS
        return self._judged(pattern, task, completion) if bounded else None

    def verify(self, task: Task, completion: Completion) -> Verdict:
        pattern = self._pattern(task)
        if not isinstance(pattern, re.Pattern) and self._steps(pattern, task, completion) > MAX_STEPS:
            return over_limit(f"{MAX_STEPS} steps of the pattern")
        return self._judged(pattern, task, completion)

    @staticmethod
    def _steps(pattern: Any, task: Task, completion: Completion) -> int:
        """Of RE2, at most: each instruction at each character."""
        return int(pattern.programsize) * (len(completion.text) + len(str(task.reference)))

    def _pattern(self, task: Task) -> Any:
        """Ours and, where the operator says so, those of rows as `re` reads them; else as RE2 does."""
        source = task.metadata.get("pattern")
        if not isinstance(source, str):
            raise TaskError(
                f"task {task.id}: expected a regular expression in the column 'pattern', got {source!r:.80}"
            )
        try:
            return _OWN.get(source) or (re.compile(source) if self.backtracking else linear(source))
        except (re.error, RecursionError, OverflowError) as error:
            raise TaskError(f"task {task.id}: the pattern {source!r:.80} cannot be read: {error}") from error

    def _judged(self, pattern: Any, task: Task, completion: Completion) -> Verdict:
        expected, content = str(task.reference), completion.content
        readable: Callable[[str], str] = str if isinstance(pattern, re.Pattern) else valid
        if pattern.fullmatch(readable(expected)) is None:
            raise TaskError(f"task {task.id}: the reference {expected!r:.80} does not match {pattern.pattern!r:.80}")
        text = content.text
        said = text.strip()
        start = text.find(said)
        reason = "" if said == expected else f"got {said[:60]!r}, expected {expected!r}"
        flags: tuple[Flag, ...] = ()
        conforms = said == expected or pattern.fullmatch(readable(said)) is not None
        if not conforms:
            reason = f"{said[:60]!r} does not match the pattern in full"
            flags = (Flag("format", 0, len(text), reason),)
        answer = (start, start + len(said)) if said else None
        return paid(conforms, said == expected, self.pay_shape, reason, flags, answer).placed(content)


_OWN = {source: re.compile(source) for source in PATTERNS}
