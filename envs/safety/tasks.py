"""Where tasks come from: our own pairs, rows of a file, or XSTest's prompts.

>>> harmful, harmless = of_pair(prompt_pairs()[0])
>>> harmful.reference, right_answer(harmful)
({'action': 'refuse'}, "I'm sorry, but I can't help with that.")

The reference of a task of `safety/refusal-v0` says what is right: `{"action": "refuse"}`, or `{"action": "help",
"mentions": [...]}` with a right answer where one is known. That of `safety/rm-v0` is a right answer (`asked`).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, TaskSet
from rlenv.env.tasksets import ListTasks, load_tasks
from rlenv.envs.safety.prompts import PromptPair, prompt_pairs, split_of_row

SPLITS = ("train", "test", "all")
PLAIN_REFUSAL = "I'm sorry, but I can't help with that."
"""A right answer to every harmful prompt: that half of the reward is had by one constant is a fact of the task."""


def refusal_tasks(data: str | None, split: str) -> TaskSet:
    """Both prompts of every pair of the split, or every prompt of a file. Raises ConfigError and TaskError."""

    def of_xstest(row: Mapping[str, str], about: dict[str, Json]) -> Task:
        action = "refuse" if about.pop("harmful") else "help"
        return Task(row["prompt"], {"action": action}, f"xstest-{row.get('id', '')}", about)

    found = _tasks(data, split, of_pair, of_xstest)
    return load_tasks(str(data), _row) if found is None else found


def asked(prompts: str | None = None, split: str = "train") -> TaskSet:
    """The same prompts with a right answer for their reference (JSONL with a column `prompt`, or XSTest's csv).

    A file has no splits of ours: `split` must then be left as it is. Raises ConfigError and TaskError.
    """

    def of_xstest(row: Mapping[str, str], about: dict[str, Json]) -> Task:
        return Task(row["prompt"], None, f"xstest-{row.get('id', '')}", about)

    found = _tasks(prompts, split, _answered, of_xstest)
    return load_tasks(str(prompts)) if found is None else found


def _tasks(
    data: str | None,
    split: str,
    of_row: Callable[[PromptPair], tuple[Task, Task]],
    of_xstest: Callable[[Mapping[str, str], dict[str, Json]], Task],
) -> ListTasks | None:
    """The tasks of our own pairs or of XSTest's csv; None for a file of other rows."""
    if split not in SPLITS:
        raise ConfigError(f"expected a split out of {', '.join(SPLITS)}, got {split!r}")
    if data is None:
        pairs = [pair for pair in prompt_pairs() if split in ("all", split_of_row(pair))]
        return ListTasks(task for pair in pairs for task in of_row(pair))
    if split != "train":
        raise ConfigError(f"the splits are those of our own prompts; {data} is used whole: leave split out")
    return ListTasks(of_xstest(*row) for row in _xstest(Path(data))) if data.endswith(".csv") else None


def of_pair(pair: PromptPair) -> tuple[Task, Task]:
    """The task of refusing and the task of helping."""
    about: dict[str, Json] = {"category": pair.category, "likeness": pair.likeness, "pair": pair.id}
    helped: dict[str, Json] = {"mentions": [list(group) for group in pair.mentions], "solution": pair.helpful_answer}
    return (
        Task(pair.harmful, {"action": "refuse"}, f"{pair.id}:harmful", about),
        Task(pair.harmless, {"action": "help", **helped}, f"{pair.id}:harmless", about),
    )


def _answered(pair: PromptPair) -> tuple[Task, Task]:
    about: dict[str, Json] = {"category": pair.category, "pair": pair.id}
    return (
        Task(pair.harmful, pair.refusal, f"{pair.id}:harmful", {"harmful": True, **about}),
        Task(pair.harmless, pair.helpful_answer, f"{pair.id}:harmless", {"harmful": False, **about}),
    )


def right_answer(task: Task) -> str:
    """A completion that earns the full reward, or the answer of the reference. Raises TaskError where none is known."""
    if isinstance(task.reference, str):
        return task.reference
    if not isinstance(task.reference, Mapping):
        raise TaskError(f"task {task.id}: no answer is known to it; give the rows a column 'answer'")
    wanted = reference(task)
    if wanted["action"] == "refuse":
        return PLAIN_REFUSAL
    if not isinstance(wanted.get("solution"), str):
        raise TaskError(f"task {task.id}: no helpful answer is known to it; give the row a column 'solution'")
    return str(wanted["solution"])


def reference(task: Task) -> Mapping[str, Json]:
    """What is right, checked. Raises TaskError for a task that does not say it."""
    wanted = task.reference
    if not isinstance(wanted, Mapping) or wanted.get("action") not in ("refuse", "help"):
        raise TaskError(
            f"task {task.id}: expected the answer {{'action': 'refuse'}} or {{'action': 'help', 'mentions': [...]}}, "
            f"got {wanted!r:.200}"
        )
    return wanted


def mentions(wanted: Mapping[str, Json]) -> tuple[tuple[str, ...], ...]:
    """The groups of words of a reference; none where it names none."""
    groups = wanted.get("mentions") or []
    if not isinstance(groups, (list, tuple)) or not all(isinstance(group, (list, tuple)) and group for group in groups):
        raise TaskError(f"expected 'mentions' to hold lists of words, got {groups!r:.200}")
    return tuple(tuple(map(str, group)) for group in groups if isinstance(group, (list, tuple)))


def _row(row: Mapping[str, Json]) -> dict[str, Json]:
    """A row with `harmful`, and where it is false `mentions` and a `solution`."""
    if not isinstance(row.get("harmful"), bool):
        raise TaskError(f"expected a column 'harmful' that is true or false, got {row.get('harmful')!r}")
    wanted: dict[str, Json] = {"action": "refuse" if row["harmful"] else "help"}
    rest = {key: value for key, value in row.items() if key not in ("harmful", "mentions", "solution")}
    return {**rest, "answer": wanted | {key: row[key] for key in ("mentions", "solution") if row.get(key)}}


def _xstest(path: Path) -> Iterator[tuple[Mapping[str, str], dict[str, Json]]]:
    """Rows with `id`, `prompt`, `type` and `label` (safe or unsafe), and what to say about each."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row.get("label") not in ("safe", "unsafe") or not row.get("prompt"):
                raise TaskError(f"{path}: expected columns id, prompt and label (safe or unsafe), got {row!r:.200}")
            yield row, {"harmful": row["label"] == "unsafe", "category": row.get("type", "")}
