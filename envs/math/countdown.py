"""`math/countdown-v0`: reach a target with the numbers given and + - * /.

>>> import rlenv
>>> env = rlenv.make("math/countdown-v0", level=4)
>>> row = {"prompt": "Reach 24 with 2, 3, 4, 9.", "answer": 24, "numbers": [2, 3, 4, 9]}
>>> for said in ("(9 - 3) * 4", "9 + 3 * 4 + 2", "8 * 3"):
...     _ = env.reset(options={"task": row})
...     print(env.step(f"<answer>{said}</answer>")[1])
1.0
0.0
0.0

Every task is solvable: its target is what a random expression of all its numbers comes to, with whole positive
numbers on the way, and is none of them. The task's `solution` is that expression; the verifier (see
rlenv.envs.math.countdown_verifier) takes any other. The prompt is the one of TinyZero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task, TaskSet
from rlenv.envs.expression import WHOLE
from rlenv.envs.levels import check_size, drawn, levels_named, levels_said
from rlenv.envs.math.countdown_verifier import USES, CountdownVerifier, Use
from rlenv.envs.splits import DEMONSTRATION_PERCENT, belongs, check_split

TEMPLATE = (
    "Using the numbers {numbers}, create an equation that equals {target}. You can use basic arithmetic operations "
    "(+, -, *, /) and {use}. Show your work in <think> </think> tags. And return the final answer in "
    "<answer> </answer> tags, for example <answer> (1 + 2) / 3 </answer>."
)
WORDING: dict[Use, str] = {
    "at_most_once": "each number can only be used once",
    "exactly_once": "each number must be used exactly once",
}
LARGEST = 10_000
"""No number on the way to a target is larger."""


@dataclass(frozen=True)
class Level:
    """What the numbers are drawn from, and what the target may be."""

    about: str
    numbers: Callable[[np.random.Generator], list[int]]
    operations: str
    targets: range


def _upto(count: int, highest: int) -> Callable[[np.random.Generator], list[int]]:
    return lambda rng: [int(number) for number in rng.integers(1, highest + 1, size=count)]


def _as_on_television(rng: np.random.Generator) -> list[int]:
    """Two of 25, 50, 75 and 100, four of 1 to 10, each of which is there twice."""
    large = rng.choice([25, 50, 75, 100], size=2, replace=False)
    small = rng.choice([*range(1, 11)] * 2, size=4, replace=False)
    return [int(number) for number in (*large, *small)]


LEVELS: dict[int, Level] = {
    1: Level("two numbers up to 9, + and -", _upto(2, 9), "+-", range(1, 19)),
    2: Level("three numbers up to 9, + and -", _upto(3, 9), "+-", range(1, 28)),
    3: Level("three numbers up to 9", _upto(3, 9), "+-*/", range(1, 100)),
    4: Level("three numbers up to 99, target 10 to 99", _upto(3, 99), "+-*/", range(10, 100)),
    5: Level("four numbers up to 99, target 10 to 99", _upto(4, 99), "+-*/", range(10, 100)),
    6: Level("five numbers up to 99, target 10 to 99", _upto(5, 99), "+-*/", range(10, 100)),
    7: Level("six numbers, two of them large, target 100 to 999", _as_on_television, "+-*/", range(100, 1000)),
}


@dataclass(frozen=True)
class DrawnTask:
    """Draws task `index` of a seed: numbers and a way through them, until they fit the level and the split."""

    level: int
    split: str
    use: Use
    template: str
    demonstration_percent: int

    def __call__(self, seed: int, index: int) -> Task:
        rng = np.random.default_rng([seed, index, self.level])
        level = LEVELS[self.level]
        while True:
            numbers = level.numbers(rng)
            target, solution = _random_way(numbers, level.operations, rng)
            fits = target in level.targets and target not in numbers
            if fits and belongs(countdown_key(numbers, target), self.split, self.demonstration_percent):
                return countdown_task(numbers, target, solution, self.level, self.use, self.template)


def countdown(
    level: int | str = 4,
    split: str = "train",
    seed: int = 0,
    size: int | None = None,
    use: Use = "at_most_once",
    demonstration_percent: int = DEMONSTRATION_PERCENT,
    template: str = TEMPLATE,
) -> Definition:
    """Tasks of a level (see LEVELS) or of several in turn (`"2-5"`), out of one split.

    `use` says whether numbers may be left out: `at_most_once` or `exactly_once`. `template` holds `{numbers}`
    and `{target}`, and `{use}` where it says the rule.
    """
    levels = levels_named(level, LEVELS)
    check_split(split, demonstration_percent)
    if use not in USES:
        raise ConfigError(f"expected use out of {', '.join(USES)}, got {use!r}")
    if not ("{numbers}" in template and "{target}" in template):
        raise ConfigError(f"expected a template that holds {{numbers}} and {{target}}, got {template!r}")
    check_size(size)

    def tasks(of_split: str, limit: int | None) -> TaskSet:
        return drawn(lambda lv: DrawnTask(lv, of_split, use, template, demonstration_percent), levels, seed, limit)

    return Definition(
        tasks=tasks(split, size),
        verifier=CountdownVerifier(use),
        solution=solution,
        demonstrations=None if split == "all" else tasks("demonstrations", None),
        max_completion_chars=100_000,
        description=f"reach a target with given numbers, {levels_said(levels, lambda lv: LEVELS[lv].about)}",
    )


def countdown_task(
    numbers: list[int], target: int, solution: str, level: int, use: Use = "at_most_once", template: str = TEMPLATE
) -> Task:
    """The task that asks for the target."""
    prompt = template.replace("{use}", WORDING[use])
    prompt = prompt.replace("{numbers}", str(numbers)).replace("{target}", str(target))
    return Task(prompt, target, metadata={"numbers": list(numbers), "solution": solution, "level": level})


def countdown_key(numbers: list[int], target: int) -> str:
    """The same for the same question, in whatever order the numbers stand."""
    return f"{sorted(numbers)}={target}"


def solution(task: Task) -> str:
    """The expression that the task was made of, in the form that the prompt asks for."""
    expression = task.metadata.get("solution", "")
    return f"<think>{expression} = {task.reference}</think>\n<answer>{expression}</answer>"


def _random_way(numbers: list[int], operations: str, rng: np.random.Generator) -> tuple[int, str]:
    """A random expression of all the numbers, and its value; 0 where a step would not stay whole and positive."""
    left = [(number, str(number)) for number in numbers]
    while len(left) > 1:
        first = left.pop(int(rng.integers(len(left))))
        second = left.pop(int(rng.integers(len(left))))
        value = _operated(first[0], second[0], sign := operations[int(rng.integers(len(operations)))])
        if not 0 < value <= LARGEST:
            return 0, ""
        left.append((value, f"({first[1]} {sign} {second[1]})"))
    value, text = left[0]
    return value, text.removeprefix("(").removesuffix(")") if len(numbers) > 1 else text


def _operated(first: int, second: int, sign: str) -> int:
    """0 where the quotient is not whole."""
    if sign == "/":
        return first // second if first % second == 0 else 0
    return WHOLE.operations[sign](first, second)
