"""Which tasks of an environment go into another library's data set: all of them, or some drawn by a seed."""

from __future__ import annotations

from collections.abc import Mapping

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.env.registry import load
from rlenv.env.rows import to_row
from rlenv.env.sampler import UniformSampler

ALL_UP_TO = 20_000
"""Task sets larger than this are drawn from, and the caller says how many."""


def drawn_tasks(definition: Definition, size: int | None, seed: int = 0) -> list[Task]:
    """`size` tasks drawn by `seed`; with None all of a set of up to 20,000.

    Raises ConfigError where a size must be given, and for one below 1.
    """
    available = len(definition.tasks)
    if size is None and available > ALL_UP_TO:
        raise ConfigError(f"expected a size: {definition.id or 'the environment'} has {available} tasks; say size=1000")
    if size is not None and size < 1:
        raise ConfigError(f"expected a size of at least 1, got {size}")
    if size is None or size >= available:
        return [definition.tasks[i] for i in range(available)]
    return [definition.tasks[i] for i in UniformSampler(available, seed).draw(0, size)]


def drawn_rows(env: str, size: int | None, seed: int, kwargs: Mapping[str, Json]) -> list[str]:
    """The rows (docs/rows.md) of the tasks that `drawn_tasks` gives."""
    return [to_row(env, task, kwargs) for task in drawn_tasks(load(env, **kwargs), size, seed)]
