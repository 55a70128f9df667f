"""Makes an environment of a list of code tasks.

    tasks = ListTasks.from_rows([{
        "prompt": "Write add(a, b).",
        "answer": {"kind": "calls", "function": "add", "tests": [{"call": "add(1, 2)", "expect": "3"}]},
        "solution": "def add(a, b):\\n    return a + b",
    }])
    definition = code_definition(tasks, solution, "sums")

The kinds of reference are `calls` (rlenv.envs.code.calls), `stdio` (rlenv.envs.code.stdio), `pair`
(rlenv.envs.code.pairs) and `official` (rlenv.envs.code.official).
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json, read_json
from rlenv.core.task import Task, TaskSet
from rlenv.door.reading import unpacked_most
from rlenv.env.tasksets import DeferredTasks, ListTasks, Row, RowMap, hub_tasks, load_tasks
from rlenv.envs.code.verifier import code_verifier

MAX_COMPLETION_CHARS = 100_000
FENCE = "```"
MAX_NAMED = 5


def code_definition(
    tasks: TaskSet,
    solution: Callable[[Task], str],
    description: str,
    *,
    pay: str = "all",
    sandbox: str = "auto",
    wall_s: float = 5.0,
    memory_mb: int = 512,
    probe: bool = False,
    evaluation_only: str = "",
) -> Definition:
    """An environment whose completions are programs.

    `pay` is `all`, `share` or `staged` (rlenv.envs.code.outcome); `sandbox` is a backend of open_sandbox;
    `wall_s` and `memory_mb` are the limits of one program with all its calls, or of one run of a program that
    reads its standard input. `probe` calls what passes with arguments of no test as well and flags programs that hold
    the answers (rlenv.envs.code.probe); it never changes a reward.
    """
    return Definition(
        tasks=tasks,
        verifier=code_verifier(pay=pay, sandbox=sandbox, wall_s=wall_s, memory_mb=memory_mb, probe=probe),
        solution=solution,
        max_completion_chars=MAX_COMPLETION_CHARS,
        description=description + _without_hidden(tasks),
        evaluation_only=evaluation_only,
    )


def hidden_tests(reference: Json) -> dict[str, Json]:
    """Metadata of a task that has no hidden test: what it pays for stands in its prompt."""
    tests = reference.get("tests") if isinstance(reference, Mapping) else None
    if not isinstance(tests, list) or not tests:
        return {}
    return {"hidden_tests": 0} if all(isinstance(test, Mapping) and test.get("shown") for test in tests) else {}


def _without_hidden(tasks: TaskSet) -> str:
    """What the listing of an environment says of its tasks without a hidden test."""
    if not isinstance(tasks, ListTasks):
        return ""
    found = [tasks[i].id for i in range(len(tasks)) if hidden_tests(tasks[i].reference)]
    return f"; no hidden test: {', '.join(found[:MAX_NAMED])}{' ...' * (len(found) > MAX_NAMED)}" if found else ""


def fenced_solution(task: Task) -> str:
    """The column `solution` as a Python block. Raises TaskError for a task without one."""
    if "solution" not in task.metadata:
        raise TaskError(f"task {task.id} has no solution; give its row the column 'solution'")
    return f"{FENCE}python\n{str(task.metadata['solution']).rstrip()}\n{FENCE}"


def read_tasks(
    data: str | None, hub_id: str, config: str | None, split: str, row_map: RowMap, limit: int | None
) -> TaskSet:
    """Tasks of a file (.jsonl.gz beside what load_tasks reads), or of the hub where `data` is None."""
    if limit is not None and limit < 1:
        raise ConfigError(f"expected a limit of at least 1, got {limit!r}")
    if data is None:
        part = split if limit is None else f"{split}[:{limit}]"
        return DeferredTasks(lambda: hub_tasks(hub_id, config, part, row_map))
    if not data.endswith(".jsonl.gz"):
        return load_tasks(data, row_map, limit)
    try:
        most = unpacked_most(Path(data))
        with gzip.open(data, "rb") as file:
            text = file.read(most + 1)
        if len(text) > most:
            raise TaskError(f"{data} unpacks to more than {most} bytes; unpack it yourself, and give that file")
        rows = [cast("Row", read_json(line)) for line in text.splitlines() if line.strip()]
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise TaskError(f"{Path(data)}: expected a compressed file of JSON lines, got {error}") from error
    return ListTasks.from_rows(rows[:limit], row_map, f"{data} row")
