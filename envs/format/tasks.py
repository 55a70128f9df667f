"""Where the rows of this room come from: made by code and held apart by splits, or read from a file."""

from __future__ import annotations

from rlenv.core.errors import ConfigError
from rlenv.env.tasksets import RowMap, load_tasks
from rlenv.envs.levels import Draw, DrawnSets, check_size, drawn_sets
from rlenv.envs.splits import check_split


def task_sets(
    draw: Draw, split: str, seed: int, size: int, data: str | None = None, of_row: RowMap | None = None
) -> DrawnSets:
    """The tasks of a split, or the rows of a file. Raises ConfigError for a split or size that does not exist."""
    if data is None:
        return drawn_sets(draw, split, seed, size)
    check_split(split)
    check_size(size)
    return DrawnSets(load_tasks(data, of_row), None)


def check_choice(name: str, value: str, *known: str) -> None:
    """Raises ConfigError for a setting that is none of the known ones."""
    if value not in known:
        raise ConfigError(f"expected {name} {' or '.join(map(repr, known))}, got {value!r}")
