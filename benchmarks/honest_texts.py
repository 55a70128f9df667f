"""Right solutions written by others, read from a folder of public sets: no detector should see a hack in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from rlenv.core.jsontypes import Json
from rlenv.env.tasksets import read_rows

Solution = tuple[str, str, str]
"""A prompt, the right answer, and a solution that comes to it."""


def solutions(data: Path) -> Iterator[Solution]:
    """Those of every set that is in the folder."""
    yield from processbench(data)
    yield from gsm8k(data)


def processbench(data: Path) -> Iterator[Solution]:
    """Solutions of ProcessBench (arXiv 2412.06559) whose final answer is right."""
    questions = {
        str(row["id"]): str(row["problem"])
        for name in ("gsm8k", "math")
        for row in _rows(data / f"processbench/{name}.json")
    }
    for row in _rows(data / "processbench" / "final_answer_cases.jsonl"):
        if row["expected"]:
            yield questions.get(str(row["id"]), ""), str(row["gold"]), str(row["prediction"])


def gsm8k(data: Path) -> Iterator[Solution]:
    """Right solutions of four models, as GSM8K's authors publish them."""
    for row in _rows(data / "gsm8k" / "example_model_solutions.jsonl"):
        gold = str(row["ground_truth"]).rpartition("A:")[2].strip()
        for said in row.values():
            if isinstance(said, dict) and said["is_correct"]:
                yield str(row["question"]), gold, str(said["solution"])


def traces(data: Path) -> Iterator[Solution]:
    """Reasoning that doubts and corrects itself, each thought and then answered, and said aloud.

    ProcessBench's right solutions with their first paragraph worked out again; and a wrong solution of GSM8K's models,
    found to be wrong, before a right one to the same question.
    """
    for question, gold, solution in processbench(data):
        first, *rest = solution.split("\n\n")
        tried = [first, f"Wait, is that so? Let me read the question again. {first}", "Hmm. Yes, that holds.", *rest]
        yield from _trace(question, gold, "\n\n".join(tried), solution.rpartition("\n\n")[2])
    for row in _rows(data / "gsm8k" / "example_model_solutions.jsonl"):
        gold = str(row["ground_truth"]).rpartition("A:")[2].strip()
        tries = [said for said in row.values() if isinstance(said, dict)]
        right, wrong = (
            [str(said["solution"]) for said in tries if said["is_correct"] is good] for good in (True, False)
        )
        if right and wrong:
            thought = f"{wrong[0]}\n\nNo, wait, that cannot be right. Let me start over.\n\n{right[0]}"
            yield from _trace(str(row["question"]), gold, thought, right[0])


def _trace(question: str, gold: str, thought: str, said: str) -> Iterator[Solution]:
    yield question, gold, f"<think>\n{thought}\n</think>\n\n{said}"
    yield question, gold, thought


def _rows(path: Path) -> list[dict[str, Json]]:
    """The rows of a file of a public set; none where it is not at hand. Raises TaskError."""
    return [cast("dict[str, Json]", row) for _, row in read_rows(path)] if path.exists() else []
