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
of others (prompt, pattern and answer) may hold any pattern; some can be made to backtrack for ever, so all but the
patterns of `notations` are matched in a process that can be killed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rlenv.completion import Completion
from rlenv.definition import Definition, reference_text
from rlenv.envs.format.notations import PATTERNS, draw_notation
from rlenv.envs.format.paid import paid
from rlenv.envs.levelled import check_size
from rlenv.envs.splits import belongs, check_split
from rlenv.errors import ConfigError, TaskError
from rlenv.task import Task
from rlenv.tasksets import ProceduralTasks, TaskSet, load_tasks
from rlenv.verdict import Flag, Verdict

SIZE = 100_000
MAX_CHARS = 100_000


@dataclass(frozen=True)
class DrawnNotation:
    """Draws task `index` of a seed: values until one belongs to the split."""

    split: str

    def __call__(self, seed: int, index: int) -> Task:
        rng = np.random.default_rng([seed, index])
        while True:
            notation = draw_notation(rng)
            if belongs(f"{notation.pattern} {notation.written}", self.split):
                prompt = (
                    f"Write {notation.told}, as one line that matches this regular expression in full, "
                    f"and nothing else:\n{notation.pattern}"
                )
                return Task(prompt, notation.written, metadata={"pattern": notation.pattern})


def regex_format(
    split: str = "train", seed: int = 0, size: int = SIZE, data: str | None = None, pay: str = "correct"
) -> Definition:
    """Values made by code out of a split, or the rows of a file with columns prompt, pattern and answer.

    With `pay="shape"` a wrong value in the right form earns the part `format` (0.2).
    """
    check_split(split)
    if pay not in ("correct", "shape"):
        raise ConfigError(f"expected pay 'correct' or 'shape', got {pay!r}")
    check_size(size)
    tasks: TaskSet = ProceduralTasks(DrawnNotation(split), seed, size) if data is None else load_tasks(data)
    ours = data is None and split != "all"
    return Definition(
        tasks=tasks,
        verifier=RegexVerifier(pay_shape=pay == "shape"),
        solution=reference_text,
        demonstrations=ProceduralTasks(DrawnNotation("demonstrations"), seed, size) if ours else None,
        max_completion_chars=MAX_CHARS,
        description="a value in the notation of a regular expression",
    )


@dataclass(frozen=True)
class RegexVerifier:
    """The content must match in full and equal the reference."""

    pay_shape: bool = False
    cheap: bool = False

    @property
    def version(self) -> str:
        return f"regex-2{'-shape' if self.pay_shape else ''}"

    def verify_cheaply(self, task: Task, completion: Completion) -> Verdict | None:
        return self.verify(task, completion) if task.metadata.get("pattern") in PATTERNS else None

    def verify(self, task: Task, completion: Completion) -> Verdict:
        pattern, expected = _pattern(task), str(task.reference)
        if pattern.fullmatch(expected) is None:
            raise TaskError(f"task {task.id}: the reference {expected!r} does not match {pattern.pattern!r}")
        content = completion.content
        return self._judged(pattern, expected, content.text).placed(content)

    def _judged(self, pattern: re.Pattern[str], expected: str, text: str) -> Verdict:
        said = text.strip()
        start = len(text) - len(text.lstrip())
        answer = (start, start + len(said)) if said else None
        if pattern.fullmatch(said) is None:
            reason = f"{said[:60]!r} does not match the pattern in full"
            return paid(False, False, self.pay_shape, reason, (Flag("format", 0, len(text), reason),), answer)
        reason = "" if said == expected else f"got {said[:60]!r}, expected {expected!r}"
        return paid(True, said == expected, self.pay_shape, reason, answer=answer)


@lru_cache(maxsize=1024)
def _compiled(source: str) -> re.Pattern[str]:
    """A look into this cache takes a third of the time of a look into the one of `re`."""
    return re.compile(source)


def _pattern(task: Task) -> re.Pattern[str]:
    source = task.metadata.get("pattern")
    try:
        if isinstance(source, str):
            return _compiled(source)
    except re.error as error:
        raise TaskError(f"task {task.id}: the pattern {source!r} cannot be read: {error}") from error
    raise TaskError(f"task {task.id}: expected a regular expression in the column 'pattern', got {source!r}")
