"""Functions to write as task folders in Harbor's format (schema 1.4), for every harness that plays those.

    to_harbor("code/snippets-v0", "tasks", size=20, base="python:3.12-slim")

An agent writes the function into /app/solution.py, and pytest calls it with the hidden arguments. Values are compared
as `rlenv.envs.code.equality` does by default, but in the process of the function, which can read there what is
expected: the environment itself keeps that outside. `container/tasks-v0` (docs/containers.md) adds its twin.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, prompt_text
from rlenv.integrations.adapter import export, template

TOLD = "\n\nWrite the code to /app/solution.py; nothing else is read."
MOVED = re.compile(r"\n[^\n]*```[^\n]*")
"""A sentence about where the answer stands in a completion."""
END = "END_OF_SOLUTION"
COMPARED = {"call", "expect", "shown", "rel", "abs"}
"""What a test may say that pytest is to check as we do."""


def to_harbor(
    env: str,
    folder: str | Path,
    *,
    size: int | None = None,
    seed: int = 0,
    base: str = "python:3.12-slim",
    **kwargs: Json,
) -> list[Path]:
    """Write a folder a task; the folders. `base` is an image with Python and pytest.

    Raises ConfigError for an environment of several turns and where a size must be given, and TaskError for a task that
    is no function with calls and values to expect, or has no solution.
    """
    made = export(env, kwargs, size, seed, training=False, one_turn="Harbor has tools of its own")
    return [_write(Path(folder), made.definition, task, base) for task in made.tasks]


def _write(folder: Path, definition: Definition, task: Task, base: str) -> Path:
    place = folder / re.sub(r"[^\w-]", "-", task.id)
    if place.exists():
        raise ConfigError(f"expected a new folder, and {place} is there; give another")
    cases, code = _cases(task), _code(definition, task)
    files = {
        "task.toml": template("harbor.toml").format(name=place.name),
        "instruction.md": MOVED.sub("", prompt_text(task.prompt)) + TOLD + "\n",
        "environment/Dockerfile": f"FROM {base}\nWORKDIR /app\n",
        "solution/solve.sh": f"#!/bin/bash\ncat > /app/solution.py <<'{END}'\n{code}\n{END}\n",
        "tests/test.sh": template("harbor_test.sh").format(cases=len(cases)),
        "tests/cases.json": json.dumps(cases) + "\n",
        "tests/test_solution.py": template("harbor_test.py"),
    }
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, "utf-8")
    return place


def _cases(task: Task) -> list[dict[str, Json]]:
    """The calls with what they are to give and the tolerance."""
    reference = task.reference if isinstance(task.reference, Mapping) else {}
    rows = cast("list[dict[str, Json]]", reference.get("tests", []))
    if reference.get("kind") != "calls" or not rows or any("expect" not in row or set(row) - COMPARED for row in rows):
        raise TaskError(
            f"task {task.id}: expected a function with calls and values to expect, got {task.reference!s:.200}"
        )
    return [
        {"call": row["call"], "expect": row["expect"], "rel": row.get("rel", 1e-9), "abs": row.get("abs", 0.0)}
        for row in rows
    ]


def _code(definition: Definition, task: Task) -> str:
    """The reference solution, out of its block."""
    said = definition.solution(task)
    found = re.search(r"```(?:python)?\n(.*?)\n?```", said if isinstance(said, str) else "", re.DOTALL)
    if found is None:
        raise TaskError(f"task {task.id}: expected a solution in a block of code, got {said!s:.200}")
    return found[1]
