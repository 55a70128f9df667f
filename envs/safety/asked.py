"""Prompts as tasks: the repository's own pairs, a file of prompts, or XSTest's csv.

>>> task = asked(split="test")[0]
>>> sorted(task.metadata), task.reference == right_answer(task)
(['category', 'harmful', 'pair'], True)
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, TaskSet
from rlenv.env.tasksets import ListTasks, load_tasks
from rlenv.envs.safety.preferences import split_of_row
from rlenv.envs.safety.prompts import PromptPair, prompt_pairs

SPLITS = ("train", "test", "all")


def asked(prompts: str | None = None, split: str = "train") -> TaskSet:
    """Our own prompts of a split, or all prompts of a file (JSONL with a column `prompt`, or XSTest's csv).

    A file has no splits of ours: `split` must then be left as it is. Raises ConfigError and TaskError.
    """
    if split not in SPLITS:
        raise ConfigError(f"expected a split out of {', '.join(SPLITS)}, got {split!r}")
    if prompts is None:
        pairs = [pair for pair in prompt_pairs() if split in ("all", split_of_row(pair))]
        return ListTasks(task for pair in pairs for task in _both(pair))
    if split != "train":
        raise ConfigError(f"the splits are those of our own prompts; {prompts} is used whole: leave split out")
    return ListTasks(_xstest(Path(prompts))) if prompts.endswith(".csv") else load_tasks(prompts)


def right_answer(task: Task) -> str:
    """The refusal of a harmful prompt, the helpful answer to a harmless one. Raises TaskError where none is known."""
    if not isinstance(task.reference, str):
        raise TaskError(f"task {task.id}: no answer is known to it; give the rows a column 'answer'")
    return task.reference


def _both(pair: PromptPair) -> Iterator[Task]:
    for harmful, prompt, answer in (
        (True, pair.harmful, pair.refusal),
        (False, pair.harmless, pair.helpful_answer),
    ):
        about: dict[str, Json] = {"harmful": harmful, "category": pair.category, "pair": pair.id}
        yield Task(prompt, answer, f"{pair.id}:{'harmful' if harmful else 'harmless'}", about)


def _xstest(path: Path) -> Iterator[Task]:
    """Rows with `id`, `prompt` and `label` (safe or unsafe)."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row.get("label") not in ("safe", "unsafe") or not row.get("prompt"):
                raise TaskError(f"{path}: expected columns id, prompt and label (safe or unsafe), got {row!r:.200}")
            about: dict[str, Json] = {"harmful": row["label"] == "unsafe", "category": row.get("type", "")}
            yield Task(row["prompt"], None, f"xstest-{row.get('id', '')}", about)
