r"""`math/arithmetic-v0`: expressions made by code, answered by a whole number in `\boxed{}`.

>>> import rlenv
>>> env = rlenv.make("math/arithmetic-v0", level=5)
>>> env.reset(options={"task": {"prompt": "3+8+5+9=?", "answer": "25"}})[0]
'3+8+5+9=?'
>>> env.step(r"11,16,25 \boxed{25}")[1]
1.0
>>> _ = env.reset(options={"task": {"prompt": "3+8+5+9=?", "answer": "25"}})
>>> env.step(r"11,16,26 \boxed{26}")[1]
0.0

Only the final box is judged, so working before it is free. The splits are held apart by the operands: an
expression, in whatever order its terms stand and at whatever level it turns up, belongs to one split.
Levels of up to 20,000 expressions are listed, each expression once; larger ones are drawn, addressed by
(seed, index).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task, TaskSet
from rlenv.env.tasksets import ProceduralTasks
from rlenv.envs.expression import value
from rlenv.envs.levels import check_size, levelled, levels_named, levels_said
from rlenv.envs.math.boxed import IntegerVerifier
from rlenv.envs.math.levels import LEVELS
from rlenv.envs.splits import DEMONSTRATION_PERCENT, belongs, check_split
from rlenv.envs.working import canonical

LISTED_UP_TO = 20_000
DRAWN = 100_000
"""How many tasks a level has that is too large to list; they are drawn with replacement."""
TEMPLATE = "{expression}=?"


@dataclass(frozen=True)
class ArithmeticTasks:
    """Every expression of a split once, in an order that the seed decides."""

    expressions: tuple[str, ...]
    level: int
    template: str

    def __len__(self) -> int:
        return len(self.expressions)

    def __getitem__(self, index: int) -> Task:
        return arithmetic_task(self.expressions[index], self.level, self.template)


@dataclass(frozen=True)
class DrawnTask:
    """Draws task `index` of a seed: expressions until one belongs to the split."""

    level: int
    split: str
    demonstration_percent: int
    template: str

    def __call__(self, seed: int, index: int) -> Task:
        rng = np.random.default_rng([seed, index, self.level])
        while True:
            expression = LEVELS[self.level].expression(rng)
            if belongs(canonical(expression), self.split, self.demonstration_percent):
                return arithmetic_task(expression, self.level, self.template)


def arithmetic(
    level: int | str = 1,
    split: str = "train",
    seed: int = 0,
    size: int | None = None,
    demonstration_percent: int = DEMONSTRATION_PERCENT,
    template: str = TEMPLATE,
) -> Definition:
    """Expressions of a level (see LEVELS), or of several in turn (`"1-7"`), out of one split or `all`.

    `size` limits the number of tasks; `demonstration_percent` of all expressions are set aside for a warm
    start; `template` holds `{expression}`.
    """
    levels = levels_named(level, LEVELS)
    check_split(split, demonstration_percent)
    if "{expression}" not in template:
        raise ConfigError(f"expected a template that holds {{expression}}, got {template!r}")
    check_size(size)

    def tasks(of_split: str, limit: int | None) -> TaskSet:
        each = None if limit is None else -(-limit // len(levels))
        parts = {lv: _tasks(lv, of_split, seed, each, demonstration_percent, template) for lv in levels}
        return levelled(parts, limit)

    return Definition(
        tasks=tasks(split, size),
        verifier=IntegerVerifier(),
        solution=solution,
        demonstrations=None if split == "all" else tasks("demonstrations", None),
        max_completion_chars=100_000,
        description=f"arithmetic made by code, {levels_said(levels, lambda lv: LEVELS[lv].about)}",
    )


@lru_cache(maxsize=LISTED_UP_TO)
def arithmetic_task(expression: str, level: int, template: str = TEMPLATE) -> Task:
    """The task that asks for the value of an expression; kept, because training comes back to it."""
    prompt = template.replace("{expression}", expression)
    return Task(prompt, str(value(expression)), metadata={"expression": expression, "level": level})


def solution(task: Task) -> str:
    """The working of the task's level, then the box. A task without them is answered by the box alone."""
    level = LEVELS.get(int(str(task.metadata.get("level", 0))))
    working = level.working(str(task.metadata["expression"])) if level else ""
    return f"{working}\\boxed{{{task.reference}}}"


def _tasks(level: int, split: str, seed: int, size: int | None, demonstration_percent: int, template: str) -> TaskSet:
    if LEVELS[level].size > LISTED_UP_TO:
        draw = DrawnTask(level, split, demonstration_percent, template)
        return ProceduralTasks(draw, seed, size or DRAWN)
    listed = expressions_of(level, split, demonstration_percent)
    order = np.random.default_rng([seed, level]).permutation(len(listed))[:size]
    return ArithmeticTasks(tuple(listed[i] for i in order), level, template)


@lru_cache(maxsize=16)
def expressions_of(level: int, split: str, demonstration_percent: int = DEMONSTRATION_PERCENT) -> tuple[str, ...]:
    """Every expression of a level that belongs to the split."""
    return tuple(e for e in LEVELS[level].expressions() if belongs(canonical(e), split, demonstration_percent))
