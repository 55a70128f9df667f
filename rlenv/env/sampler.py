"""Who hands out tasks. A curriculum lives here, never in the environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, cast, runtime_checkable

import numpy as np

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, TaskSet

LEVEL = "level"
"""The column of a task's metadata that says its level."""
MAX_READ = 20_000
"""Larger task sets are not read through to see what their tasks are."""


class Sampler(Protocol):
    """Chooses the tasks of each batch; its state, plain JSON, is saved and resumed with the run."""

    def draw(self, step: int, count: int) -> list[int]:
        """Indices into the task set for one batch. The same step and state give the same indices."""

    def observe(self, episodes: Sequence[Episode]) -> None:
        """Learn from the episodes of a finished batch."""

    def state_dict(self) -> dict[str, Json]: ...

    def load_state_dict(self, state: Mapping[str, Json]) -> None: ...


@runtime_checkable
class Levelled(Protocol):
    """A task set that knows which of its indices are of which level, without making the tasks."""

    @property
    def levels(self) -> Sequence[int]: ...

    def members(self, level: int) -> Sequence[int]: ...


class UniformSampler:
    """Every task alike, without repeats inside a batch while there are enough; addressed by (seed, step)."""

    def __init__(self, size: int, seed: int = 0) -> None:
        self.size, self.seed = size, seed

    def draw(self, step: int, count: int) -> list[int]:
        rng = np.random.default_rng([self.seed, step])
        if count > self.size:
            return [int(i) for i in rng.integers(self.size, size=count)]
        return [int(i) for i in rng.choice(self.size, size=count, replace=False)]

    def observe(self, episodes: Sequence[Episode]) -> None:
        pass

    def state_dict(self) -> dict[str, Json]:
        return {}

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        pass


class PassRateSampler:
    """More of what is sometimes solved: bins of tasks are drawn by p(1-p) of their measured pass rates.

    A group whose completions all pass, or all fail, teaches nothing; p(1-p) is how often two of them differ.
    `by` is the column that makes the bins (`"level"`), or `"task"`: each task is a bin. `"auto"` takes levels
    where the set has several, else tasks. Old observations fade: at each batch in which a bin comes, what was
    known of it counts `memory` times as much. `floor` is the share that is drawn evenly, so that every bin is
    measured again now and then. A bin that was never seen counts as half solved.

    The same seed, step and observations give the same tasks. An episode passes at a reward of `threshold` or
    more before it was shaped (`by_reward`: after); where the checker failed it is left out.
    """

    def __init__(
        self,
        tasks: TaskSet,
        seed: int = 0,
        *,
        by: str = "auto",
        floor: float = 0.1,
        memory: float = 0.8,
        threshold: float = 1.0,
        by_reward: bool = False,
    ) -> None:
        """Raises ConfigError for settings out of range, or a set too large to be read where that is needed."""
        for name, value in (("floor", floor), ("memory", memory)):
            if not 0 <= value <= 1:
                raise ConfigError(f"expected {name} in [0, 1], got {value}")
        self.seed, self.floor, self.memory, self.threshold = seed, floor, memory, threshold
        self.by_reward = by_reward
        self.by = ("level" if _has_levels(tasks) else "task") if by == "auto" else by
        self._members = _bins(tasks, self.by)
        self._tries = dict.fromkeys(self._members, 0.0)
        self._passes = dict.fromkeys(self._members, 0.0)

    def draw(self, step: int, count: int) -> list[int]:
        rng = np.random.default_rng([self.seed, step])
        shares = self.shares()
        keys, chances = list(shares), list(shares.values())
        once = count <= sum(chance > 0 for chance in chances)
        if all(len(members) == 1 for members in self._members.values()) and once:
            return [self._members[keys[i]][0] for i in rng.choice(len(keys), size=count, p=chances, replace=False)]
        drawn: list[int] = []
        for key, many in zip(keys, rng.multinomial(count, chances), strict=True):
            members = self._members[key]
            places = rng.choice(len(members), size=int(many), replace=bool(many > len(members)))
            drawn += [members[int(place)] for place in places]
        return [drawn[int(i)] for i in rng.permutation(count)]

    def observe(self, episodes: Sequence[Episode]) -> None:
        seen: dict[str, list[bool]] = {}
        for episode in episodes:
            key = _key(episode.task, self.by)
            reward = episode.verdict.reward if self.by_reward else episode.signal
            if key in self._members and reward is not None:
                seen.setdefault(key, []).append(reward >= self.threshold)
        for key, passed in seen.items():
            self._tries[key] = self.memory * self._tries[key] + len(passed)
            self._passes[key] = self.memory * self._passes[key] + sum(passed)

    def pass_rates(self) -> dict[str, float]:
        """What is measured of each bin, with one try that half passed put in front."""
        return {key: (self._passes[key] + 0.5) / (tries + 1) for key, tries in self._tries.items()}

    def shares(self) -> dict[str, float]:
        """The chance of each bin to give the next task; they sum to 1."""
        rates = np.array(list(self.pass_rates().values()))
        weights = rates * (1 - rates)
        chances = self.floor / len(rates) + (1 - self.floor) * weights / weights.sum()
        return dict(zip(self._members, (chances / chances.sum()).tolist(), strict=True))

    def state_dict(self) -> dict[str, Json]:
        return {
            "by": self.by,
            "bins": {key: [tries, self._passes[key]] for key, tries in self._tries.items() if tries},
        }

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        if state.get("by") != self.by:
            raise ConfigError(f"expected a state of bins by {self.by!r}, got {state.get('by')!r}")
        saved = cast("Mapping[str, Sequence[float]]", state["bins"])
        self._tries = {key: float(saved[key][0]) if key in saved else 0.0 for key in self._members}
        self._passes = {key: float(saved[key][1]) if key in saved else 0.0 for key in self._members}


SAMPLERS = ("uniform", "pass-rate")
"""The names that a trainer's settings know."""


def sampler_named(name: str, tasks: TaskSet, seed: int, *, by_reward: bool = False) -> Sampler:
    """The sampler of this name for a task set. Raises ConfigError for an unknown one."""
    if name == "uniform":
        return UniformSampler(len(tasks), seed)
    if name == "pass-rate":
        return PassRateSampler(tasks, seed, by_reward=by_reward)
    raise ConfigError(f"expected a sampler out of {', '.join(SAMPLERS)}, got {name!r}")


def _has_levels(tasks: TaskSet) -> bool:
    return isinstance(tasks, Levelled) and len(tasks.levels) > 1


def _bins(tasks: TaskSet, by: str) -> dict[str, Sequence[int]]:
    """The indices of each bin."""
    if by == LEVEL and isinstance(tasks, Levelled):
        return {str(level): tasks.members(level) for level in tasks.levels if len(tasks.members(level))}
    if len(tasks) > MAX_READ:
        raise ConfigError(
            f"this set has {len(tasks):,} tasks, too many to follow one by one; give it several levels (level='1-4') "
            "or a size of at most 20,000"
        )
    bins: dict[str, list[int]] = {}
    for index in range(len(tasks)):
        bins.setdefault(_key(tasks[index], by), []).append(index)
    return dict(bins)


def _key(task: Task, by: str) -> str:
    return task.id if by == "task" else str(task.metadata.get(by))
