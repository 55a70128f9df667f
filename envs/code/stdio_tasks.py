r"""`code/stdio-v0`: programs that read standard input and write standard output.

>>> import rlenv
>>> row = {"prompt": "Add two numbers.", "answer": {"kind": "stdio", "tests": [{"stdin": "1 2", "stdout": "3"}]}}
>>> rlenv.Task.from_row(contest_row(row)).reference["kind"]
'stdio'

    completion                                                     reward
    ```python\nprint(sum(map(int, input().split())))\n```          1.0
    ```python\nprint(4)\n```                                       0.0

Rows are of our own shape (rlenv.envs.code.stdio), or of CodeContests (hub id `deepmind/code_contests`),
LiveCodeBench or APPS (rlenv.envs.code.contests).
"""

from __future__ import annotations

from rlenv.core.definition import Definition
from rlenv.envs.code.contests import contest_row
from rlenv.envs.code.definition import code_definition, fenced_solution, read_tasks

HUB_ID = "deepmind/code_contests"


def stdio(
    split: str = "test",
    data: str | None = None,
    limit: int | None = None,
    hub_id: str = HUB_ID,
    pay: str = "all",
    sandbox: str = "auto",
    wall_s: float = 4.0,
    memory_mb: int = 512,
) -> Definition:
    """A split of a hub data set, or the rows of a JSONL (.gz too) or Parquet file with its columns.

    `wall_s` is the limit of one run, where the row has none of its own.
    """
    tasks = read_tasks(data, hub_id, None, split, contest_row, limit)
    return code_definition(
        tasks,
        fenced_solution,
        "programs that read standard input",
        pay=pay,
        sandbox=sandbox,
        wall_s=wall_s,
        memory_mb=memory_mb,
    )
