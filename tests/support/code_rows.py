"""Made-up rows in the columns of the hub's HumanEval and MBPP, and how tests judge programs on them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rlenv import Completion, Definition, Verdict
from rlenv.judge.judge import Judge
from rlenv.sandbox import SandboxUnavailable, open_sandbox

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
BACKEND = "namespaces"

_ROWS: dict[str, list[dict[str, Any]]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
HUMANEVAL, MBPP, STDIO, APPS = (_ROWS[name] for name in ("humaneval", "mbpp", "stdio", "apps"))


@cache
def sandbox_problem() -> str:
    """Why no sandbox can be opened here; "" where one can. In CI that is a failure, never a reason to skip."""
    try:
        open_sandbox(BACKEND, cells=1).close()
    except SandboxUnavailable as error:
        if "CI" in os.environ:
            raise
        return str(error)
    return ""


def written(rows: Sequence[Mapping[str, Any]], folder: Path) -> str:
    """The path of a JSONL file with these rows."""
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def judged(definition: Definition, index: int, *completions: str) -> list[Verdict]:
    """The verdicts of completions of one task."""
    task = definition.tasks[index]
    return Judge(definition).verdicts([(task, Completion(text)) for text in completions])


def of_references(definition: Definition) -> list[Verdict]:
    """The verdict of the solution of every task."""
    tasks = [definition.tasks[i] for i in range(len(definition.tasks))]
    return Judge(definition).verdicts([(task, Completion(definition.solution(task))) for task in tasks])


def fenced(code: str) -> str:
    return f"```python\n{code}\n```"
