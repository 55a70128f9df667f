"""What every adapter does: tasks go out as rows, what was said comes in as a completion, and a verdict goes out.

A failed checker is never a 0. Where a package has a word for it, its adapter says that; a package that knows numbers
only gets one that teaches nothing (`MeanFill`), or MachineryError (`graded_reward`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rlenv.core.completion import Completion, as_completion
from rlenv.core.definition import Definition, check_trainable
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, MachineryError
from rlenv.core.jsontypes import Json, canonical, line
from rlenv.core.reading import ReadAs
from rlenv.core.reading.message import message_text
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.env.admission import operators_own
from rlenv.env.registry import load
from rlenv.env.rows import RowJudge, to_row
from rlenv.env.sampler import UniformSampler

ROW = "rlenv_row"
"""The field of another library's data that holds the row (docs/rows.md)."""
ALL_UP_TO = 20_000
"""Task sets larger than this are drawn from, and the caller says how many."""


class Export(NamedTuple):
    """Tasks of an environment with the rows that judge them."""

    definition: Definition
    tasks: list[Task]
    rows: list[str]

    @property
    def turns(self) -> bool:
        """Whether episodes may have several turns."""
        return self.definition.interaction is not None


def export(
    env: str,
    kwargs: Mapping[str, Json],
    size: int | None,
    seed: int = 0,
    *,
    training: bool = True,
    one_turn: str = "",
    beside: bool = False,
) -> Export:
    """The tasks that `drawn_tasks` gives. `one_turn` says why an environment of several turns cannot go there.

    With `beside`, keywords that no row may hold are left out of the rows: the caller gives them to its judge.

    Raises ConfigError for one of several turns, for an environment for evaluation only where the export is for
    `training`, where a size must be given, and for a keyword that no row may hold.
    """
    definition = load(env, **kwargs)
    if training:
        check_trainable(definition)
    if one_turn and definition.interaction is not None:
        raise ConfigError(f"{env} has several turns, and {one_turn}")
    tasks = drawn_tasks(definition, size, seed)
    given = {env: operators_own(env, kwargs)} if beside else None
    return Export(definition, tasks, [to_row(env, task, kwargs, given=given) for task in tasks])


def drawn_tasks(definition: Definition, size: int | None, seed: int = 0) -> list[Task]:
    """`size` tasks drawn by `seed`; with None all of a set of up to 20,000.

    Raises ConfigError where a size must be given, and for one below 1.
    """
    available = len(definition.tasks)
    if size is None and available > ALL_UP_TO:
        raise ConfigError(f"expected a size: {definition.id or 'the environment'} has {available} tasks; say size=1000")
    if size is not None and size < 1:
        raise ConfigError(f"expected a size of at least 1, got {size}")
    drawn = range(available) if size is None or size >= available else UniformSampler(available, seed).draw(0, size)
    return [definition.tasks[i] for i in drawn]


def write_jsonl(path: str | Path, rows: Iterable[Mapping[str, Json]]) -> None:
    """Write one line of JSON a row; folders that are missing are made."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="ascii") as file:
        file.writelines(map(line, rows))


def template(name: str) -> str:
    """A file that is written for another library, with places to be filled."""
    return Path(__file__).with_name("template").joinpath(f"{name}.txt").read_text(encoding="utf-8")


def reference_text(task: Task) -> str:
    """The reference for packages that want a text there."""
    return task.reference if isinstance(task.reference, str) else canonical(task.reference)


def row_in(fields: object) -> str:
    """The row in another library's data. Raises ConfigError where there is none."""
    row = fields.get(ROW) if isinstance(fields, Mapping) else None
    if not isinstance(row, str):
        raise ConfigError(f"expected data with a row as text in {ROW!r}, got {type(row).__name__}; use ours")
    return row


def check_lists(**columns: object) -> None:
    """Raises ConfigError unless these are lists of one length, as a trainer hands them over."""
    sizes = {name: len(one) if isinstance(one, (list, tuple)) else type(one).__name__ for name, one in columns.items()}
    if len(set(sizes.values())) > 1 or any(isinstance(size, str) for size in sizes.values()):
        raise ConfigError(f"expected lists of one length, got {sizes}; hand over one of each a sample")


def text_completion(said: object) -> Completion:
    """What a model said, as another library hands it over; nobody judges what is no text."""
    if isinstance(said, str):
        return Completion(said)
    return Completion("", failure=f"expected what was said as text, got {type(said).__name__}")


def message_completion(message: Mapping[str, object], *, finished: bool = True, read_as: ReadAs = "auto") -> Completion:
    """What an assistant's message in OpenAI's form says; thoughts and calls that it tells apart stay apart."""
    text, segments = message_text(message)
    return as_completion(Completion(text, finished=finished, segments=segments), read_as)


def graded_reward(verdict: Verdict) -> float:
    """The reward. Raises MachineryError, with the reason, where the checker failed."""
    if verdict.reward is None:
        raise MachineryError(f"not graded, leave this episode out: {verdict.reason}")
    return verdict.reward


def logs_of(episode: Episode) -> dict[str, float]:
    """What trainers log beside a reward: the same keys for every episode."""
    return {"graded": float(episode.verdict.graded), "flags": float(len(episode.verdict.flags))}


class MeanFill:
    """A number in place of a reward that is not there, for trainers that know only numbers.

    What is not graded gets the mean of its group: its advantage is 0 and the group's mean stays. Where a group has
    nothing that was graded it is the mean of what the environment paid so far, the same for all of the group, so that
    nothing is learned from it; before anything was paid it is 0.
    """

    def __init__(self) -> None:
        self._paid: dict[str, tuple[float, int]] = {}
        """Sum and number of each environment's rewards so far."""

    def rewards(self, episodes: Sequence[Episode]) -> list[float]:
        """One number an episode; episodes of one group have equal `group`."""
        groups: dict[int, list[float]] = {}
        for episode in episodes:
            reward = episode.verdict.reward
            if reward is not None:
                groups.setdefault(episode.group, []).append(reward)
                total, count = self._paid.get(episode.env_id, (0.0, 0))
                self._paid[episode.env_id] = (total + reward, count + 1)
        return [self._filled(episode, groups.get(episode.group, [])) for episode in episodes]

    def _filled(self, episode: Episode, group: Sequence[float]) -> float:
        if episode.verdict.reward is not None:
            return episode.verdict.reward
        total, count = (sum(group), len(group)) if group else self._paid.get(episode.env_id, (0.0, 0))
        return total / count if count else 0.0


class Payer:
    """Judges groups through their wrappers, from any thread, for trainers that know only numbers."""

    def __init__(self, *, training: bool = True) -> None:
        self._judge, self._fill, self._lock = RowJudge(training=training), MeanFill(), threading.Lock()

    def pay(
        self, rows: Sequence[str], said: Sequence[Completion], groups: Sequence[str] | None = None
    ) -> list[tuple[Episode, float]]:
        """Each episode, in order, with its number; equal rows are a group, told apart by `groups`."""
        with self._lock:  # what wrappers learn is one state
            episodes = self._judge.judge(rows, said, groups=groups)
            return list(zip(episodes, self._fill.rewards(episodes), strict=True))
