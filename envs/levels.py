"""Task sets made by code: levels as people write them, several of them as one set, and tasks drawn for a split.

Task `i` is of level `levels[i % len(levels)]`, so each level has the same share. A level with fewer tasks than the
largest comes round again. A sampler that chooses levels asks `members` which indices are of one.

>>> levels_named("1,3-5", range(1, 8)), levels_named(3, range(1, 8))
((1, 3, 4, 5), (3,))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from rlenv.core.errors import ConfigError
from rlenv.core.task import Task, TaskSet
from rlenv.env.tasksets import ProceduralTasks
from rlenv.envs.splits import DEMONSTRATION_PERCENT, belongs, check_split

SIZE = 100_000
"""Tasks of a set that is drawn without end, where no size is given."""
_PART = re.compile(r"([0-9]{1,3})(?:-([0-9]{1,3}))?", re.ASCII)  # 3, 3-5
Keyed: TypeAlias = "tuple[str, Callable[[], Task]]"
"""What a drawn task asks, which decides its split, and what makes the task of it."""
Draw: TypeAlias = "Callable[[np.random.Generator], Keyed | None]"
"""Draws a task; None where the draw came to none that fits, and is to be made again."""


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


@dataclass(frozen=True)
class SplitTasks:
    """Makes task `index` of a seed: draws until one belongs to the split; None is drawn again."""

    draw: Draw
    split: str
    demonstration_percent: int = DEMONSTRATION_PERCENT
    salt: tuple[int, ...] = ()

    def __call__(self, seed: int, index: int) -> Task:
        rng = np.random.default_rng([seed, index, *self.salt])
        while True:
            found = self.draw(rng)
            if found is not None and belongs(found[0], self.split, self.demonstration_percent):
                return found[1]()


class DrawnSets(NamedTuple):
    """The tasks of a split, and those whose solutions a warm start may see; None where `all` holds them too."""

    tasks: TaskSet
    demonstrations: TaskSet | None


def drawn_sets(draw: Draw, split: str, seed: int, size: int = SIZE) -> DrawnSets:
    """`size` tasks of a split. Raises ConfigError for a split or a size that cannot be."""
    check_split(split)
    check_size(size)
    shown = None if split == "all" else ProceduralTasks(SplitTasks(draw, "demonstrations"), seed, size)
    return DrawnSets(ProceduralTasks(SplitTasks(draw, split), seed, size), shown)


def levelled_sets(
    draw: Callable[[int, np.random.Generator], Keyed | None],
    levels: Sequence[int],
    split: str,
    seed: int,
    size: int | None,
    demonstration_percent: int = DEMONSTRATION_PERCENT,
) -> DrawnSets:
    """`size` tasks of the levels in turn; `draw` is given the level. Raises ConfigError as `drawn_sets` does."""
    check_split(split, demonstration_percent)
    check_size(size)

    def tasks(of_split: str, limit: int | None) -> TaskSet:
        def of_level(level: int) -> SplitTasks:
            return SplitTasks(partial(draw, level), of_split, demonstration_percent, (level,))

        return drawn(of_level, levels, seed, limit)

    return DrawnSets(tasks(split, size), None if split == "all" else tasks("demonstrations", None))


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
