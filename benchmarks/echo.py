r"""What boxing the question's own expressions earns: the form policy on and off, on public sets.

    OMP_NUM_THREADS=1 python benchmarks/echo.py [--data FOLDER] [--list]

Each expression of a question that holds an operation is one completion, `\boxed{expression}`: what stands between
mathematics signs, the sides of its relations, runs of numbers and signs in the prose. A task counts where one of them
is paid. Numbers and letters alone leave nothing to do: where one is the answer that is chance, and it is counted apart.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from math_rows import DATA

from rlenv import Completion, Task
from rlenv.core.definition import Definition
from rlenv.envs.math.problem_sets import problem_set
from rlenv.text.formulas import formulas

SETS = {"math500": "math500/test.jsonl", "gsm8k": "gsm8k/test.jsonl", "svamp": "svamp/test.jsonl"}
_VALUE = re.compile(r"[-+]?(?:[0-9][0-9.,]*|[A-Za-z])")  # -3.5, x
_NUMBER = re.compile(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")  # 1,000.5


def expressions(question: str) -> list[str]:
    """Those with something to work out."""
    return [formula for formula in formulas(question) if not _VALUE.fullmatch(formula)]


def numbers(question: str) -> list[str]:
    return list(dict.fromkeys(_NUMBER.findall(question)))


def paid(definition: Definition, task: Task, said: list[str]) -> list[str]:
    """Which of these a task pays for in a box."""
    verify = definition.verifier.verify
    return [text for text in said if verify(task, Completion(f"\\boxed{{{text}}}")).reward == 1.0]


def counted(name: str, data: Path) -> Iterator[tuple[Task, list[str], list[str], list[str]]]:
    """Each task with the expressions paid without and with the policy, and the numbers paid with it."""
    off, on = (problem_set(name, data=str(data), policy={"form": form}) for form in ("any", "asked"))
    for index in range(len(on.tasks)):
        task = on.tasks[index]
        question = str(task.metadata["question"])
        said = expressions(question)
        yield task, paid(off, task, said), paid(on, task, said), paid(on, task, numbers(question))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the public sets")
    parser.add_argument("--list", action="store_true", help="list the expressions that are paid")
    chosen = parser.parse_args()
    print("| set | tasks | pay for an expression, form any | form asked | pay for a number of the question |")
    print("|---|---|---|---|---|")
    left = []
    for name, file in SETS.items():
        rows = list(counted(name, chosen.data / file))
        off, on, plain = (sum(bool(row[place]) for row in rows) for place in (1, 2, 3))
        print(f"| {name} | {len(rows):,} | {off} | {on} | {plain} |", flush=True)
        left += [(task, found) for task, _, found, _ in rows if found]
    for task, found in left if chosen.list else []:
        print(f"\n- {task.id}: {found} for {task.reference!r}\n  {str(task.metadata['question'])[-200:]!r}")


if __name__ == "__main__":
    main()
