"""What `process/gsm8k-v0` makes of right solutions, and of right answers under the working of another problem.

    python benchmarks/process_checks.py --data ../shared/data

The set's own solutions should earn everything; the answer of a task under the working of the next task should not. The
guards are looked at beside, on the right solutions of ProcessBench (its tuning half).
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import rlenv
from rlenv.completion import Completion
from rlenv.definition import Definition
from rlenv.envs.process.guards import StepGuards
from rlenv.envs.process.process_bench import half_of, read_rows
from rlenv.task import Task


def aggregates(made: Definition, texts: list[tuple[Task, str]]) -> list[float]:
    """The aggregate of the step scores of each completion."""
    return [made.verifier.verify(task, Completion(text)).scores["process"] for task, text in texts]


def trips(path: Path) -> str:
    """How many right solutions trip, and over what."""
    rows = [row for row in read_rows(path) if row.label == -1 and half_of(row.problem) == "tuning"]
    readings = [StepGuards().read("\n\n".join(row.steps)) for row in rows]
    tripped = [reading.flags[0].name for reading in readings if reading.tripped is not None]
    return f"{len(tripped)} of {len(rows)} trip {dict(Counter(tripped))}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--limit", type=int, default=1000, help="training problems of GSM8K")
    given = parser.parse_args()
    made = rlenv.load("process/gsm8k-v0", data=str(given.data / "gsm8k" / "train.jsonl"), limit=given.limit)
    tasks = [made.tasks[index] for index in range(len(made.tasks))]
    solutions = [made.solution(task) for task in tasks]
    own = aggregates(made, list(zip(tasks, solutions, strict=True)))
    workings = [text.rpartition("\n")[0] for text in [*solutions[1:], solutions[0]]]
    answers = [f"{working}\n\\boxed{{{task.reference}}}" for task, working in zip(tasks, workings, strict=True)]
    others = aggregates(made, list(zip(tasks, answers, strict=True)))
    print(f"own solutions: {sum(value == 1 for value in own)} of {len(own)} lose nothing")
    print(f"another problem's working: {sum(value == 1 for value in others)} of {len(others)} lose nothing")
    for name in ("gsm8k", "math"):
        print(
            f"guards on right solutions of ProcessBench, {name}: {trips(given.data / 'processbench' / f'{name}.json')}"
        )


if __name__ == "__main__":
    main()
