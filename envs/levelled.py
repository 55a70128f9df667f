"""Task sets of several levels as one: the levels take turns, so each has the same share.

Task `i` is of level `levels[i % len(levels)]`. A level with fewer tasks than the largest comes round again.
A sampler that chooses levels asks `members` which indices are of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rlenv.core.errors import ConfigError
from rlenv.core.task import Task, TaskSet
from rlenv.env.tasksets import ProceduralTasks

SIZE = 100_000
"""Tasks of a set that is drawn without end, where no size is given."""


class LevelledTasks:
    """`levels` in order; `tasks[i]` is the next task of the level whose turn it is."""

    def __init__(self, parts: Mapping[int, TaskSet], size: int | None = None) -> None:
        self.levels = tuple(parts)
        self._parts = tuple(parts.values())
        whole = len(parts) * max(map(len, self._parts))
        self._size = whole if size is None else min(size, whole)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int) -> Task:
        if not 0 <= index < self._size:
            raise IndexError(f"expected an index in [0, {self._size}), got {index}")
        turn, which = divmod(index, len(self._parts))
        part = self._parts[which]
        return part[turn % len(part)]

    def members(self, level: int) -> range:
        """The indices of the tasks of one level."""
        return range(self.levels.index(level), self._size, len(self.levels))


def levelled(parts: Mapping[int, TaskSet], size: int | None = None) -> TaskSet:
    """The tasks of the only level as they are, or of several levels in turn."""
    return LevelledTasks(parts, size) if len(parts) > 1 else next(iter(parts.values()))


def drawn(
    draw: Callable[[int], Callable[[int, int], Task]], levels: Sequence[int], seed: int, size: int | None
) -> TaskSet:
    """`size` tasks of the levels in turn; `draw(level)` gives the function that draws a task by (seed, index)."""
    each = -(-(size or SIZE) // len(levels))
    return levelled({level: ProceduralTasks(draw(level), seed, each) for level in levels}, size)


def check_size(size: int | None) -> None:
    """Raise ConfigError for a size of nothing."""
    if size is not None and size < 1:
        raise ConfigError(f"expected a size of at least 1, got {size!r}")


def levels_said(levels: Sequence[int], about: Callable[[int], str]) -> str:
    """The only level in words, or the numbers of several."""
    return f"level {levels[0]}: {about(levels[0])}" if len(levels) == 1 else f"levels {tuple(levels)}"
