"""Levels as people write them: `3`, `"1-4"`, `"1,3-5"`, `"all"`.

>>> levels_named("1,3-5", range(1, 8))
(1, 3, 4, 5)
"""

from __future__ import annotations

import re
from collections.abc import Collection

from rlenv.core.errors import ConfigError

_PART = re.compile(r"([0-9]{1,3})(?:-([0-9]{1,3}))?", re.ASCII)


def levels_named(level: int | str, known: Collection[int]) -> tuple[int, ...]:
    """The levels, each once, in order. Raises ConfigError for one that does not exist."""
    chosen: set[int] = set()
    for part in (str(level) if level != "all" else f"{min(known)}-{max(known)}").split(","):
        matched = _PART.fullmatch(part.strip())
        low, high = (int(matched[1]), int(matched[2] or matched[1])) if matched else (1, 0)
        if low > high or not {low, high} <= set(known):
            raise ConfigError(
                f"expected a level out of {', '.join(map(str, known))}, a range such as "
                f"'{min(known)}-{max(known)}', or 'all', got {level!r}"
            )
        chosen |= set(range(low, high + 1)) & set(known)
    return tuple(sorted(chosen))
