"""The sides of a comparison: evaluations read from their folders, one or several training seeds a side.

`runs/a` is a side of one run; `runs/a1,runs/a2,runs/a3` one of three training seeds; `GRPO=runs/a1,runs/a2` names it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from rlenv.comparison.difference import Table, table
from rlenv.core.errors import ConfigError, RunError
from rlenv.core.jsontypes import Json
from rlenv.core.task import prompt_text
from rlenv.door.reading import json_object
from rlenv.evaluation.savedrun import SavedRun
from rlenv.text.escaping import shown_line

PROMPT_CHARS = 80
"""How much of a task's prompt is kept to show it by."""


@dataclass(frozen=True)
class Run:
    """What a comparison needs of one evaluation."""

    folder: Path
    settings: dict[str, Json]
    rewards: dict[str, list[float]]
    """Of the judged completions, by task id; a verifier error is none of them."""
    prompts: dict[str, str]


@dataclass(frozen=True)
class Side:
    """One model, or one recipe with several training seeds."""

    name: str
    runs: tuple[Run, ...]

    def tasks(self, judged: int) -> list[str]:
        """The tasks of which every run has so many judged completions, in the first run's order."""
        first, *others = (run.rewards for run in self.runs)
        return [
            task
            for task in first
            if len(first[task]) >= judged and all(len(run.get(task, ())) >= judged for run in others)
        ]

    def values(self, tasks: Collection[str], of: Callable[[list[float]], float]) -> Table:
        """One value a run and task. (S, T)"""
        return table([[of(run.rewards[task]) for task in tasks] for run in self.runs])

    def settings(self, key: str) -> list[Json]:
        """What its runs have set, each value once."""
        found: list[Json] = []
        for run in self.runs:
            value = run.settings.get(key)
            found += [] if value in found else [value]
        return found


def read_side(text: str | Path) -> Side:
    """The side that a text names. Raises RunError where a folder holds no evaluation."""
    whole = str(text)
    if Path(whole).is_dir():
        return Side(shown_line(whole), (read_run(Path(whole)),))
    name, equals, folders = whole.partition("=")
    listed = [Path(folder) for folder in (folders if equals else whole).split(",") if folder]
    if not listed:
        raise ConfigError(f"expected FOLDER, FOLDER,FOLDER or NAME=FOLDER,FOLDER, got {whole!r}")
    if len({folder.resolve() for folder in listed}) < len(listed):
        raise ConfigError(f"{whole}: a folder stands there twice; give each training seed's evaluation once")
    return Side(shown_line(name if equals else whole), tuple(read_run(folder) for folder in listed))


def read_run(folder: Path) -> Run:
    """An evaluation, also one that was judged again (`DIR/rescored`)."""
    saved = SavedRun(folder)
    settings = _settings(saved)
    rewards: dict[str, list[float]] = {}
    prompts: dict[str, str] = {}
    for episode in saved.episodes():
        judged = rewards.setdefault(episode.task.id, [])
        if episode.verdict.reward is not None:
            judged.append(episode.verdict.reward)
        if episode.task.id not in prompts:
            prompts[episode.task.id] = shown_line(prompt_text(episode.task.prompt)[: 4 * PROMPT_CHARS], PROMPT_CHARS)
    if not rewards:
        raise RunError(f"{folder} has no episodes yet; finish the evaluation (the same `rlenv eval` command goes on)")
    return Run(folder, settings, rewards, prompts)


def _settings(saved: SavedRun) -> dict[str, Json]:
    report = saved.folder / "report.json"  # `rlenv rescore` leaves the settings there alone
    if (saved.folder / "config.json").exists() or not report.exists():
        return saved.settings()
    return cast("dict[str, Json]", json_object(report).get("settings", {}))
