"""The table of the algorithms: each is one row of data (rlenv.trainers.algorithms.row), all of them on one loop."""

from __future__ import annotations

from rlenv.errors import ConfigError
from rlenv.trainers.algorithms.branch_rows import BRANCHES
from rlenv.trainers.algorithms.online_rows import ONLINE
from rlenv.trainers.algorithms.row import Algorithm

ALGORITHMS: dict[str, Algorithm] = {row.name: row for row in (*ONLINE, *BRANCHES)}
"""Every algorithm by its name."""


def algorithm_named(name: str | Algorithm) -> Algorithm:
    """The row of this name. Raises ConfigError that lists the names."""
    if isinstance(name, Algorithm):
        return name
    if name not in ALGORITHMS:
        raise ConfigError(f"expected an algorithm of {', '.join(ALGORITHMS)}, got {name!r}")
    return ALGORITHMS[name]
