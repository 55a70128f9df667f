"""What `process/gsm8k-v0` pays in full: tricks that work nothing out, the set's own working, solutions of models.

    python benchmarks/process_tricks.py --data ../shared/data

Every trick is a function of what a problem shows and of random numbers; each is tried on the same problems of the test
split. A trick that is paid in full on more than one problem in fifty is a hole.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.envs.process.quantities import quantities


class Case(NamedTuple):
    """What a trick is made from."""

    given: tuple[int, ...]
    answer: int
    own: str
    other: str
    draw: np.random.Generator

    def some(self, low: int = 2, high: int = 40) -> int:
        """A random number."""
        return int(self.draw.integers(low, high))


def _between(case: Case) -> str:
    first = case.some()
    return f"{case.answer - first} + {first} = {case.answer}"


def _around(case: Case) -> str:
    lines, value = [], case.answer
    for number in case.given:
        lines.append(f"{value} + {number} = {value + number}")
        value += number
    for number in reversed(case.given):
        lines.append(f"{value} - {number} = {value - number}")
        value -= number
    return "\n".join(lines)


def _ladder(case: Case) -> str:
    lines, value = [f"{case.given[0]} / {case.given[0]} = 1"], 1
    for bit in bin(case.answer)[3:]:
        lines.append(f"{value} + {value} = {2 * value}")
        value *= 2
        if bit == "1":
            lines.append(f"{value} + 1 = {value + 1}")
            value += 1
    return "\n".join(lines)


def _fitted_to_a_number(case: Case) -> str:
    gap = case.answer - case.given[0]
    return f"{case.given[0]} {'+' if gap >= 0 else '-'} {abs(gap)} = {case.answer}"


def _pairs(case: Case) -> str:
    pairs = [(one, other) for at, one in enumerate(case.given) for other in case.given[at + 1 :]]
    return "\n".join(f"{a} + {b} = {a + b}, {a} * {b} = {a * b}" for a, b in pairs[:12])


TRICKS: dict[str, Callable[[Case], str]] = {
    "the answer as an unknown": lambda c: f"Let x be the answer. x = {c.answer}",
    "the answer times one": lambda c: f"{c.answer} * 1 = {c.answer}",
    "a sum that cancels": lambda c: f"{c.answer} + {c.given[0]} - {c.given[0]} = {c.answer}",
    "out and back over the question's numbers": _around,
    "a sum with a random part": _between,
    "a product and a quotient": lambda c: f"{c.answer} * 12 = {12 * c.answer}\n{12 * c.answer} / 12 = {c.answer}",
    "doubling from one": _ladder,
    "a gap filled behind a number of the question": _fitted_to_a_number,
    "a factor fitted to a number of the question": lambda c: f"{c.given[0]} * {c.answer} / {c.given[0]} = {c.answer}",
    "every pair of numbers, then the answer": _pairs,
    "another problem's working": lambda c: c.other,
    "another problem's working, corrected": lambda c: f"{c.other}\nCorrected: {c.answer + 7} - 7 = {c.answer}",
    "a system that was planted": lambda c: f"x + y = {c.answer + 3}\nx - y = {c.answer - 3}\nso x = {c.answer}",
    "one equation that was planted": lambda c: f"3x + 2 = {3 * c.answer + 2}\n3x = {3 * c.answer}\nx = {c.answer}",
    "an identity": lambda c: f"{c.given[0]}x - 3 = {c.given[0]}x - 3, which is true. Hence x = {c.answer}",
    "digits": lambda c: f"{c.answer // 10} * 10 + {c.answer % 10} = {c.answer}",
    "the mean of two guesses": lambda c: f"({c.answer - 6} + {c.answer + 6}) / 2 = {c.answer}",
    "a root of a square": lambda c: f"{c.answer} * {c.answer} / {c.answer} = {c.answer}",
    "the first step, then a leap": lambda c: f"{c.own.splitlines()[0]}\nThe rest is like it and gives {c.answer}.",
    "the steps in reverse order": lambda c: "\n".join(reversed(c.own.splitlines())),
    "the working behind the box": lambda c: f"\\boxed{{{c.answer}}}\n{c.own}",
}


def full(made: Definition, index: int, text: str) -> bool:
    """Whether a completion of a task is paid in full."""
    return made.verifier.verify(made.tasks[index], Completion(text)).reward == 1.0


def case_of(made: Definition, index: int, draw: np.random.Generator) -> Case:
    """What tricks on a task are made from."""
    task, other = made.tasks[index], made.tasks[(index + 1) % len(made.tasks)]
    values = [one.value for one in quantities(str(task.metadata["question"]))]
    given = tuple(dict.fromkeys(int(value) for value in values if value.denominator == 1 and value > 1))
    working, another = str(task.metadata["working"]), str(other.metadata["working"])
    return Case(given or (2,), int(str(task.reference)), working, another, draw)


def has_several_steps(case: Case) -> bool:
    """Where the working is one line, its reverse and its first step are the working."""
    return len(case.own.splitlines()) > 1


def trick_row(made: Definition, name: str, indices: Sequence[int]) -> str:
    """How many of the problems a trick is paid in full on."""
    paid = tried = 0
    for index in indices:
        case = case_of(made, index, np.random.default_rng(index))
        if not has_several_steps(case):
            continue
        said = TRICKS[name](case)
        tried += 1
        paid += full(made, index, said if "\\boxed" in said else f"{said}\n\\boxed{{{case.answer}}}")
    return f"| {name} | {paid} of {tried} |"


def model_row(made: Definition, path: Path) -> str:
    """Solutions of models whose answer is right, four a problem, in the order of the problems."""
    cases = [json.loads(line) for line in path.read_text().splitlines()]
    right = [(at // 4, str(case["prediction"])) for at, case in enumerate(cases) if case["expected"]]
    paid = 0
    for index, said in right:
        working = re.sub(r"<<[^<>]*>>", "", said).rpartition("\nA: ")[0]  # 16 - 3 = <<16-3=13>>13
        paid += full(made, index, f"{working}\n\\boxed{{{made.tasks[index].reference}}}")
    return f"| solutions of models with the right answer | {paid} of {len(right)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--problems", type=int, default=100, help="of the test split, for each trick")
    parser.add_argument("--train", type=int, default=1500, help="references of the training split")
    given = parser.parse_args()
    folder = given.data / "gsm8k"
    made = rlenv.load("process/gsm8k-v0", data=str(folder / "test.jsonl"))
    train = rlenv.load("process/gsm8k-v0", data=str(folder / "train.jsonl"), limit=given.train)
    print("| completion | paid in full |\n|---|---|")
    for name in TRICKS:
        spread = [7 * place % len(made.tasks) for place in range(min(given.problems, len(made.tasks)))]
        print(trick_row(made, name, spread), flush=True)
    for name, some in (("test", made), ("train", train)):
        paid = sum(full(some, at, some.solution(some.tasks[at])) for at in range(len(some.tasks)))
        print(f"| the set's own working, {name} | {paid} of {len(some.tasks)} |", flush=True)
    print(model_row(made, folder / "model_solution_cases.jsonl"))


if __name__ == "__main__":
    main()
