r"""`code/apps-v0`: contest tasks of three difficulties (Hendrycks et al. 2021, arXiv 2105.09938).

>>> import rlenv
>>> row = {"problem_id": 1, "question": "Double the number.", "input_output": '{"inputs": ["2"], "outputs": ["4"]}'}
>>> rlenv.Task.from_row(apps_row(row)).reference["tests"]
[{'stdin': '2', 'stdout': '4'}]

    completion                                           reward
    ```python\nprint(2 * int(input()))\n```              1.0
    ```python\nprint(int(input()) + 2)\n```              1.0 (the tests cannot tell: there is only one)
    ```python\nprint(2 * input())\n```                   0.0

Most tasks read standard input; those with a function name are judged by hidden calls. All tests of the set
are hidden, and only what the question itself tells is shown. Rows without tests are refused: filter them out.
"""

from __future__ import annotations

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.envs.code.contests import apps_row
from rlenv.envs.code.definition import code_definition, fenced_solution, read_tasks

HUB_ID = "codeparrot/apps"
DIFFICULTIES = ("all", "introductory", "interview", "competition")


def apps(
    split: str = "test",
    data: str | None = None,
    limit: int | None = None,
    difficulty: str = "all",
    pay: str = "all",
    sandbox: str = "auto",
    wall_s: float = 4.0,
    memory_mb: int = 512,
) -> Definition:
    """A split of the hub data set, or the rows of a JSONL (.gz too) or Parquet file with its columns.

    `wall_s` is the limit of one run: one test.
    """
    if split not in ("train", "test"):
        raise ConfigError(f"expected split 'train' or 'test', got {split!r}")
    if difficulty not in DIFFICULTIES:
        raise ConfigError(f"expected difficulty in {DIFFICULTIES}, got {difficulty!r}")
    tasks = read_tasks(data, HUB_ID, difficulty, split, apps_row, limit)
    return code_definition(
        tasks, fenced_solution, "contest tasks (APPS)", pay=pay, sandbox=sandbox, wall_s=wall_s, memory_mb=memory_mb
    )
