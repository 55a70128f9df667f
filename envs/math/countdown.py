r"""`math/countdown-v0`: reach a target with the numbers given and + - * /.

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
numbers on the way, and is none of them. The task's `solution` is that expression; the verifier takes any other, and
flags `target_restated`, `number_not_given` and `number_reused`. The prompt is the one of TinyZero.

The answer is what the last `<answer>` of the content holds, else, in version 0, the last `\boxed{}`. One equal sign may
stand in it, with the target itself, and nothing else, on its other side. Fractions on the way are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.task import Task, TaskSet
from rlenv.core.verdict import Verdict
from rlenv.envs.levels import check_size, drawn, levels_named, levels_said
from rlenv.envs.math.answer_place.boxed import answer_tail, equal_text, refuse, visible
from rlenv.envs.splits import DEMONSTRATION_PERCENT, belongs, check_split
from rlenv.text.boxes import Box, find_boxes
from rlenv.text.expression import EXACT, WHOLE, Unreadable, read

Use: TypeAlias = Literal["at_most_once", "exactly_once"]
USES: tuple[Use, ...] = ("at_most_once", "exactly_once")
MAX_NUMBERS, LARGEST = 16, 999_999
_OPEN, _CLOSE = "<answer>", "</answer>"


@dataclass(frozen=True)
class CountdownVerifier:
    """1 for an expression that reaches the target by the rules, 0 for anything else."""

    use: Use = "at_most_once"
    """Whether numbers may be left out."""
    strict: bool = False
    """`<answer>` alone is read, and two of them with different expressions are no answer."""
    cheap: bool = True

    @property
    def version(self) -> str:
        return f"countdown-3-{self.use}{'-strict' if self.strict else ''}"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        target, given = _asked(task)
        content = completion.content
        return self._judged(visible(content.text), target, given).placed(content)

    def _judged(self, said: str, target: int, given: tuple[int, ...]) -> Verdict:
        stated = _stated(said, self.strict)
        if isinstance(stated, Verdict):
            return stated
        place = stated.place(said)
        expression = _without_target(stated.text, target)
        if expression is None:
            name = "equation_chain" if stated.text.count("=") > 1 else ""
            reason = f"expected an expression, or an expression = {target}, got {stated.text[:80]!r}"
            return refuse(name, reason, *place, answer=place)
        flag, reason = self._fault(expression, target, given)
        if reason:
            return refuse(flag, reason, *place, answer=place)
        return Verdict.of(("correct", 1.0), reason=f"{expression} reaches {target}", answer=place)

    def _fault(self, expression: str, target: int, given: tuple[int, ...]) -> tuple[str, str]:
        """The flag and the reason of a refusal, both empty for a right answer."""
        try:
            reading = read(expression, EXACT)
        except Unreadable as problem:
            return "", f"{expression[:80]!r} is not an expression of the four operations: {problem}"
        if len(reading.numbers) > MAX_NUMBERS or max(reading.numbers) > LARGEST:
            return "", f"{expression[:80]!r} has more than {MAX_NUMBERS} numbers, or one above {LARGEST}"
        foreign = sorted(set(reading.numbers) - set(given))
        if foreign:
            among = ", ".join(map(str, given))
            name = "target_restated" if reading.numbers == (target,) else "number_not_given"
            return name, f"{_listed(foreign)} is not among the numbers {among}"
        used = reading.numbers
        reused = sorted({number for number in used if used.count(number) > given.count(number)})
        if reused:
            are = "is" if len(reused) == 1 else "are"
            return "number_reused", f"{_listed(reused)} {are} used more often than they are given"
        left = sorted((Counter(given) - Counter(used)).elements()) if self.use == "exactly_once" else []
        if left:
            return "", f"every number must be used, {_listed(left)} is left"
        return ("", "") if reading.value == target else ("", f"{expression} is {reading.value}, not {target}")


def _asked(task: Task) -> tuple[int, tuple[int, ...]]:
    """The target and the numbers. Raises TaskError where the task does not have them."""
    column, target = task.metadata.get("numbers"), task.reference
    numbers = [number for number in column if type(number) is int] if isinstance(column, (list, tuple)) else []
    if isinstance(target, str) and target.isascii() and target.isdecimal():
        target = int(target)
    if type(target) is not int or not numbers or column not in (numbers, tuple(numbers)):
        raise TaskError(
            f"task {task.id}: expected a whole number as the reference and a list of whole numbers in the column "
            f"'numbers', got {task.reference!r} and {column!r}"
        )
    return target, tuple(numbers)


def _stated(text: str, strict: bool) -> Box | Verdict:
    start, end = answer_tail(text)
    opened, closed = text.rfind(_OPEN, start, end), text.rfind(_CLOSE, start, end)
    if opened > closed:
        return refuse("unclosed_answer", "the last <answer> is never closed", opened, end)
    if strict and opened >= 0 and _other(text[start:opened], text[opened + len(_OPEN) : closed]):
        return refuse("conflicting_answers", "several <answer> with different expressions", start, end)
    if opened >= 0:
        return Box(text[opened + len(_OPEN) : closed].strip(), opened + len(_OPEN), closed)
    if strict:
        return refuse("", "expected <answer>...</answer>, found none")
    boxes, unclosed = find_boxes(text, start, end)
    if unclosed is not None:
        return refuse("unclosed_box", "the last \\boxed{ is never closed", unclosed, end)
    return boxes[-1] if boxes else refuse("", "expected <answer>...</answer>, found none")


def _other(before: str, last: str) -> bool:
    """Whether an `<answer>` before the last one holds another expression."""
    said = [part.partition(_CLOSE)[0] for part in before.split(_OPEN)[1:]]
    return any(not equal_text(one, last) for one in said)


def _without_target(text: str, target: int) -> str | None:
    """The expression of `expression`, `expression = target` or `target = expression`; None for any other equation."""
    sides = [side.strip() for side in text.split("=")]
    if len(sides) == 1:
        return sides[0]
    if len(sides) != 2 or str(target) not in sides:
        return None
    return sides[0] if sides[1] == str(target) else sides[1]


def _listed(numbers: list[int]) -> str:
    return " and ".join(map(str, numbers))


TEMPLATE = (
    "Using the numbers {numbers}, create an equation that equals {target}. You can use basic arithmetic operations "
    "(+, -, *, /) and {use}. Show your work in <think> </think> tags. And return the final answer in "
    "<answer> </answer> tags, for example <answer> (1 + 2) / 3 </answer>."
)
CONTRACT = "Return the final answer in <answer> </answer> tags."
"""What the prompts of version 1 say behind a template that does not."""
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
    version: int = 0,
) -> Definition:
    """Tasks of a level (see LEVELS) or of several in turn (`"2-5"`), out of one split.

    `use` says whether numbers may be left out: `at_most_once` or `exactly_once`. `template` holds `{numbers}`
    and `{target}`, and `{use}` where it says the rule. `version` is that of the id: from 1 on `<answer>` alone is read.
    """
    levels = levels_named(level, LEVELS)
    check_split(split, demonstration_percent)
    if use not in USES:
        raise ConfigError(f"expected use out of {', '.join(USES)}, got {use!r}")
    if not ("{numbers}" in template and "{target}" in template):
        raise ConfigError(f"expected a template that holds {{numbers}} and {{target}}, got {template!r}")
    check_size(size)
    if version and "<answer>" not in template:
        template = f"{template} {CONTRACT}"

    def tasks(of_split: str, limit: int | None) -> TaskSet:
        return drawn(lambda lv: DrawnTask(lv, of_split, use, template, demonstration_percent), levels, seed, limit)

    return Definition(
        tasks=tasks(split, size),
        verifier=CountdownVerifier(use, strict=version > 0),
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
