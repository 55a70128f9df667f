"""The table of the algorithms: each is one row of data (rlenv.trainers.algorithms.row), all of them on one loop."""

from __future__ import annotations

from difflib import get_close_matches

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.branch_rows import BRANCHES
from rlenv.trainers.algorithms.online_rows import ONLINE
from rlenv.trainers.algorithms.row import Algorithm

ALGORITHMS: dict[str, Algorithm] = {row.name: row for row in (*ONLINE, *BRANCHES)}
"""Every algorithm by its name."""


def algorithm_named(name: str | Algorithm) -> Algorithm:
    """The row of this name. Raises ConfigError that says which there are."""
    if isinstance(name, Algorithm):
        return name
    if name not in ALGORITHMS:
        near = get_close_matches(name, ALGORITHMS, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(ALGORITHMS)}"
        raise ConfigError(f"no algorithm {name!r}; {hint} (`rlenv algorithms` shows them)")
    return ALGORITHMS[name]
