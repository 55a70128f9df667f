"""Plain reward functions as definitions, so that the same audit can be played on them.

>>> rows = [{"prompt": "2+2=?", "answer": "4"}, {"prompt": "3+5=?", "answer": "8"}]
>>> made = reward_definition(lambda prompt, completion, reference: float(reference in completion), rows)
>>> from rlenv import Completion
>>> made.verifier.verify(made.tasks[0], Completion("1 2 3 4")).reward
1.0
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence

from rlenv.core.definition import Definition, reference_text
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import ANSWER, REFERENCE, Task
from rlenv.env.reward_functions import RewardFunction, Style, verifier_of
from rlenv.env.tasksets import ListTasks, Row

REFERENCE_COLUMNS = (ANSWER, REFERENCE, "solution", "ground_truth", "target", "label", "gold")


def reward_definition(
    function: RewardFunction,
    rows: Sequence[Row],
    *,
    style: Style = "auto",
    reference: str | None = None,
    solution: Callable[[Task], str] = reference_text,
    time_limit_s: float = 5.0,
) -> Definition:
    """A reward function with rows (`prompt`, a column with the right answer, any others) as a definition.

    `style` as of `rlenv.env.reward_functions.verifier_of`. `reference` names the column with the right answer,
    `solution` makes a right completion of a task.

    Raises ConfigError for a function of none of these forms or rows without an answer.
    """
    if not rows:
        raise ConfigError("expected at least one row with a prompt and its answer, got none")
    column = reference or next((name for name in REFERENCE_COLUMNS if name in rows[0]), None)
    if column is None or column not in rows[0]:
        raise ConfigError(f"expected a column {reference or 'answer'!r}, got {sorted(rows[0])}; name it: reference=...")
    tasks = ListTasks([_task(row, column) for row in rows])
    return Definition(
        tasks=tasks,
        verifier=verifier_of(
            function, list(rows[0]), style=style, reference=column, skipped=0.0, time_limit_s=time_limit_s
        ),
        solution=solution,
        time_limit_s=time_limit_s,
        description=(inspect.getdoc(function) or "").partition("\n")[0],
        id=getattr(function, "__name__", "").replace("<lambda>", ""),
    )


def _task(row: Row, column: str) -> Task:
    rest: Mapping[str, Json] = {name: value for name, value in row.items() if name != column}
    return Task.from_row({**rest, ANSWER: row[column]})
