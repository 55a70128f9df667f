"""What `rlenv audit` takes beside our ids: functions of the user's files with rows, environments of others."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from rlenv.cli.environments import import_modules, module_of_file
from rlenv.core.definition import Definition, reference_text
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.task import Task
from rlenv.env.tasksets import ListTasks, Row, read_rows

PLACE = "{answer}"
"""Where the right answer stands in the text of `--solution`."""
INSPECT = "inspect:"
"""Before the name of a Task of Inspect, the only environments of others whose samples say what is right."""
SEARCHED = 20_000
"""Tasks of a set that are looked through for those that have a solution."""


def function_named(name: str) -> Callable[..., object]:
    """The function of `MODULE:FUNCTION` or `FILE.py:FUNCTION`; loading it runs the module's code in this process.

    Raises ConfigError where the module cannot be loaded or has no such function.
    """
    module, colon, wanted = name.rpartition(":")
    if not colon:
        raise ConfigError(f"expected MODULE:FUNCTION or FILE.py:FUNCTION of a reward function, got {name!r}")
    loaded = module_of_file(Path(module)) if module.endswith(".py") else module
    import_modules([loaded], asked="the reward of")
    found = getattr(sys.modules[loaded], wanted, None)
    if not callable(found):
        functions = [key for key, value in vars(sys.modules[loaded]).items() if inspect.isfunction(value)]
        raise ConfigError(
            f"expected MODULE:FUNCTION of a reward, and {module} has no {wanted!r}; it has {', '.join(functions)}"
        )
    return cast("Callable[..., object]", found)


def file_of(function: Callable[..., object]) -> tuple[Path, ...]:
    """The file that the function stands in, if there is one; the certificate names it with its hash."""
    try:
        source = inspect.getsourcefile(inspect.unwrap(function))
    except TypeError:
        return ()
    return () if source is None else (Path(source),)


def solution_as(template: str | None) -> Callable[[Task], str]:
    """How a right completion is written: the bare answer, or a text with the answer at `{answer}`.

    >>> solution_as("<answer>{answer}</answer>")(Task("2+2=?", "4"))
    '<answer>4</answer>'
    """
    if template is None:
        return reference_text
    if PLACE not in template:
        raise ConfigError(f"expected --solution with {PLACE} where the right answer stands, got {template!r}")
    shape = template.replace("\\n", "\n")
    return lambda task: shape.replace(PLACE, reference_text(task))


def foreign_id(name: str) -> str | None:
    """The id of a foreign environment that is named by where it is; None for any other name.

    `http://HOST:PORT` is a server of OpenEnv, `verifiers:TASKSET` an installed taskset of verifiers, `gem:ID` an
    environment of gem, `inspect:FILE.py@TASK` a Task of Inspect.
    """
    if name.startswith(("http://", "https://", "ws://", "wss://")):
        from rlenv.foreign.openenv import from_openenv

        return from_openenv(name)
    if name.startswith("verifiers:"):
        from rlenv.foreign.verifiers import from_verifiers

        return from_verifiers(name.removeprefix("verifiers:"))
    if name.startswith("gem:"):
        from rlenv.foreign.gem import from_gem

        return from_gem(name.removeprefix("gem:"))
    if name.startswith(INSPECT):
        from rlenv.foreign.inspect import from_inspect

        return from_inspect(name.removeprefix(INSPECT))
    return None


def files_named(name: str) -> tuple[Path, ...]:
    """The file in `inspect:FILE.py@TASK`, which the certificate names with its hash; none for other names."""
    file = Path(name.removeprefix(INSPECT).rpartition("@")[0])
    return (file,) if name.startswith(INSPECT) and file.suffix == ".py" else ()


def solutions_in(file: Path) -> dict[str, str]:
    """Right completions by the id of their task, of rows with `id` and `solution`. Raises TaskError for other rows."""
    found: dict[str, str] = {}
    for where, row in read_rows(file):
        if not isinstance(row.get("solution"), str) or row.get("id") is None:
            raise TaskError(f"{file} {where}: expected 'id' of a task and 'solution' as text, got {sorted(row)}")
        found[str(row["id"])] = str(row["solution"])
    return found


def solved(definition: Definition, solutions: Mapping[str, str]) -> Definition:
    """The definition with the tasks that have a solution, and those as right completions.

    Raises ConfigError where no task has one.
    """
    tasks = definition.tasks
    kept = [task for task in (tasks[i] for i in range(min(len(tasks), SEARCHED))) if task.id in solutions]
    if not kept:
        raise ConfigError(f"no task of {definition.id} has an id of the solutions; its first is {tasks[0].id!r}")
    return replace(definition, tasks=ListTasks(kept), solution=lambda task: solutions[task.id])


def rows_with(file: Path, reference: str | None) -> list[Row]:
    """The rows of a file. Raises TaskError for one that lacks the named column."""
    found = [row for _, row in read_rows(file)]
    lacking = next((row for row in found if reference is not None and reference not in row), None)
    if lacking is not None:
        raise TaskError(f"{file}: expected a column {reference!r} in every row, got {sorted(lacking)}")
    return found
