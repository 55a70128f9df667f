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

`math/arithmetic-v1` asks `3+8+5+9=? Answer in \boxed{}.`, and is judged alike. Only the box is judged, so working
before it is free. The splits are held apart by the operands: an expression, in whatever order its terms stand and at
whatever level it turns up, belongs to one split.
Levels of up to 20,000 expressions are listed, each expression once; larger ones are drawn, addressed by
(seed, index).

A level (LEVELS) has its shapes, where `d` stands for a digit 0-9 and `t` for a number 10-99, and a function that turns
an expression into the working that a demonstration shows:

>>> level = LEVELS[5]
>>> level.expression(np.random.default_rng(0)), level.size
('6-5+2-3-0', 1684000)
>>> level.working("3+8+5+9")
'11,16,25 '
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

import numpy as np

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task, TaskSet
from rlenv.env.tasksets import ProceduralTasks
from rlenv.envs.levels import check_size, levelled, levels_named, levels_said
from rlenv.envs.math.answer_place.boxed import IntegerVerifier
from rlenv.envs.splits import DEMONSTRATION_PERCENT, belongs, check_split
from rlenv.envs.working import canonical, reductions, totals
from rlenv.text.expression import value

OPERANDS = {"d": range(10), "t": range(10, 100)}


@dataclass(frozen=True)
class Level:
    """A family of expressions. Shapes differ in operators or brackets, so no expression comes twice."""

    about: str
    shapes: tuple[str, ...]
    working: Callable[[str], str]
    """The text before the box of a worked solution."""

    @property
    def size(self) -> int:
        """How many expressions there are."""
        return sum(prod(len(operands) for operands in _slots(shape)) for shape in self.shapes)

    def expression(self, rng: np.random.Generator) -> str:
        """One expression: the shape drawn uniformly, then each operand."""
        shape = self.shapes[rng.integers(len(self.shapes))]
        return _fill(shape, [operands[rng.integers(len(operands))] for operands in _slots(shape)])

    def expressions(self) -> Iterator[str]:
        """All of them, in a fixed order."""
        for shape in self.shapes:
            for values in product(*_slots(shape)):
                yield _fill(shape, values)


def _slots(shape: str) -> list[range]:
    return [OPERANDS[symbol] for symbol in shape if symbol in OPERANDS]


def _fill(shape: str, values: list[int] | tuple[int, ...]) -> str:
    remaining = iter(values)
    return "".join(str(next(remaining)) if symbol in OPERANDS else symbol for symbol in shape)


def plain(expression: str) -> str:
    """No working: the answer at once."""
    return ""


def tens_then_units(expression: str) -> str:
    """`47+38` is worked out as 47+30, then +8."""
    split = re.sub(r"([+-])(\d)(\d)$", r"\g<1>\g<2>0\g<1>\g<3>", expression)
    return _joined(totals(split))


def running_totals(expression: str) -> str:
    """The total after each operand of a chain."""
    return _joined(totals(expression))


def step_by_step(expression: str) -> str:
    """The expression after each single operation."""
    return "=".join(reductions(expression)) + " "


def _joined(numbers: list[int]) -> str:
    return ",".join(map(str, numbers)) + " "


def _with_operators(shape: str, operators: str) -> tuple[str, ...]:
    """The shape with every choice of operators for its `?`."""
    count = shape.count("?")
    return tuple(shape.replace("?", "{}").format(*chosen) for chosen in product(operators, repeat=count))


def _chains(shortest: int, longest: int) -> tuple[str, ...]:
    return tuple(
        shape for count in range(shortest, longest + 1) for shape in _with_operators("?".join("d" * count), "+-")
    )


LEVELS: dict[int, Level] = {
    1: Level("one-digit sums", ("d+d",), plain),
    2: Level("one-digit sums, differences and products", ("d+d", "d-d", "d*d"), plain),
    3: Level("two-digit sums and differences", ("t+t", "t-t"), tens_then_units),
    4: Level("sums of four digits", ("d+d+d+d",), running_totals),
    5: Level("chains of 3 to 5 digits with + and -", _chains(3, 5), running_totals),
    6: Level(
        "three digits with one pair of brackets",
        (*_with_operators("(d?d)?d", "+-*"), *_with_operators("d?(d?d)", "+-*")),
        step_by_step,
    ),
    7: Level(
        "four digits with nested brackets",
        (
            *_with_operators("((d?d)?d)?d", "+-*"),
            *_with_operators("(d?(d?d))?d", "+-*"),
            *_with_operators("d?((d?d)?d)", "+-*"),
            *_with_operators("d?(d?(d?d))", "+-*"),
        ),
        step_by_step,
    ),
}


LISTED_UP_TO = 20_000
DRAWN = 100_000
"""How many tasks a level has that is too large to list; they are drawn with replacement."""
TEMPLATE = "{expression}=?"
CONTRACT = "Answer in \\boxed{}."
"""What the prompts of version 1 say behind the template."""


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
    version: int = 0,
) -> Definition:
    """Expressions of a level (see LEVELS), or of several in turn (`"1-7"`), out of one split or `all`.

    `size` limits the number of tasks; `demonstration_percent` of all expressions are set aside for a warm
    start; `template` holds `{expression}`. `version` is that of the id: from 1 on the prompt says where the answer
    goes.
    """
    levels = levels_named(level, LEVELS)
    check_split(split, demonstration_percent)
    if "{expression}" not in template:
        raise ConfigError(f"expected a template that holds {{expression}}, got {template!r}")
    check_size(size)
    if version and "\\boxed{" not in template:
        template = f"{template} {CONTRACT}"

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
