"""A run's episodes as the page holds them: columns of numbers over all of them, and their texts in compressed blocks.

The columns answer every filter but the one on text. The blocks are opened when they are looked at; where they are more
than the page may hold, evenly spaced groups of each block keep their texts, and the page says so.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, cast

from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.evaluation.summary import Summary
from rlenv.view.shape import decoder, number, shaped, shaped_task
from rlenv.view.viewed import ViewedRun

BLOCK_CHARS = 300_000
"""A block of texts is closed at this length: it opens in some milliseconds."""
MOST_NAMES = 16
"""So many parts and scores are columns; a column of a task has at most as many values."""
ENVIRONMENT = "environment"
"""The column of a task that says where it came from; shown where a run has several."""
FINISHED, FAILED, TURNS = 1, 2, 4
"""Bits of the column `state`."""


class Packed:
    """One run, compressed: `head` for the first view, `blocks` for the texts."""

    def __init__(self, run: ViewedRun) -> None:
        self._run = run
        ks = run.config.get("k")  # completions of `rlenv import` have none: their groups need not be problems
        self._ks = sorted({1, *cast("list[int]", ks)}) if isinstance(ks, list) else []
        self._summary = Summary(run.config, run.threshold)
        self._decode = decoder(run.tokenizer)
        self._groups: dict[str, list[int]] = {"step": [], "group": [], "task": []}
        self._tasks: dict[tuple[str, str], int] = {}
        self._columns: dict[str, list[Json]] = {}
        self._episodes: dict[str, list[int | float | None]] = {k: [] for k in ("g", "reward", "length", "state", "f")}
        self._numbers: dict[str, list[float | None]] = {}
        self._flags: dict[str, int] = {}
        self._combinations: dict[tuple[int, ...], int] = {(): 0}
        self._tokens = True
        self._place: dict[tuple[int, int, str], int] = {}
        self.blocks: list[bytes] = []
        self._block_of: list[int] = []
        """Of each group: the block that holds its texts, -1 for none."""
        self._open: list[int] = []
        """The groups of the block that is being filled."""
        self._fill()

    def keep(self, most_bytes: int) -> None:
        """Leave evenly spaced groups out of each block, until the blocks are at most about this long."""
        share = most_bytes / max(1, sum(map(len, self.blocks)))
        if share >= 1:
            return
        for place, block in enumerate(self.blocks):
            groups = cast("list[dict[str, Any]]", json.loads(zlib.decompress(block)))
            kept = [g for i, g in enumerate(groups) if i == 0 or int(i * share) > int((i - 1) * share)]
            for group in {g["g"] for g in groups} - {g["g"] for g in kept}:
                self._block_of[group] = -1
            self.blocks[place] = _compressed(kept)

    def head(self) -> dict[str, Json]:
        """Everything of the run but its texts."""
        run = self._run
        names = list(dict.fromkeys(name for row in run.metrics for name in row))
        return {
            "name": run.name,
            "training": bool(run.metrics),
            "threshold": run.threshold,
            "pass_at": self._pass_at(),
            "unfinished": self._summary.unfinished if self._ks else "",
            "facts": [[key, value] for key, value in _flat(run.config)],
            "metrics": {name: [number(row.get(name)) for row in run.metrics] for name in names},
            "alarms": [{k: number(v) if isinstance(v, float) else v for k, v in a.items()} for a in run.alarms],
            "unit": "tokens" if self._tokens else "characters",
            "tasks": [id for _, id in self._tasks],
            "columns": self._task_columns(),
            "groups": {**self._groups, "block": self._block_of},
            "episodes": self._episodes,
            "numbers": self._numbers,
            "flags": list(self._flags),
            "combinations": [list(combination) for combination in self._combinations],
            "sampled": -1 in self._block_of,
        }

    def _pass_at(self) -> list[Json]:
        """[k, pass@k, low, high] of an evaluation, for 1 and every k that it was asked for and has completions for."""
        estimates = ((k, self._summary.estimate(k)) for k in self._ks)
        return [[k, number(e.value), number(e.low), number(e.high)] for k, e in estimates if e is not None]

    def _fill(self) -> None:
        waiting: list[str] = []
        chars = 0
        for (step, group, task_id), members in groupby(self._run.episodes, key=lambda e: (e.step, e.group, e.task.id)):
            episodes = list(members)
            if self._ks:
                self._summary.add(episodes)
            entry = self._group(episodes, step, group, task_id)
            waiting.append(json.dumps(entry, separators=(",", ":")))
            chars += len(waiting[-1])
            if chars >= BLOCK_CHARS:
                self._close(waiting)
                waiting, chars = [], 0
        if waiting:
            self._close(waiting)

    def _group(self, members: Sequence[Episode], step: int, group: int, task_id: str) -> dict[str, Json]:
        """Count a stretch of one group's episodes; a group that a run came back to is one group of two stretches."""
        place = self._place.get((step, group, task_id))
        if place is None or self._block_of[place] >= 0:  # its first stretch, or the block of that one is closed
            place = len(self._block_of)
            self._place[step, group, task_id] = place
            self._groups["step"].append(step)
            self._groups["group"].append(group)
            self._groups["task"].append(self._task(members[0]))
            self._block_of.append(-1)
            self._open.append(place)
        bodies: list[Json] = [shaped(e, self._count(e, place), self._decode) for e in members]
        return {"g": place, "task": shaped_task(members[0].task), "episodes": bodies}

    def _task(self, episode: Episode) -> int:
        task = episode.task
        key = (episode.env_id, task.id)
        if key not in self._tasks:
            metadata = {ENVIRONMENT: episode.env_id, **task.metadata}
            for name in metadata:
                self._columns.setdefault(name, [None] * len(self._tasks))
            for name, values in self._columns.items():
                value = metadata.get(name)
                values.append(value if isinstance(value, (str, int)) and len(str(value)) <= 60 else None)
            self._tasks[key] = len(self._tasks)
        return self._tasks[key]

    def _count(self, episode: Episode, group: int) -> int:
        """Put an episode into the columns; returns its ordinal."""
        said, verdict, columns = episode.completion, episode.verdict, self._episodes
        ordinal = len(columns["g"])
        tokens = said.said_tokens
        self._tokens = self._tokens and (tokens > 0 or not said.text)
        failed = FAILED if verdict.reward is None else 0
        columns["g"].append(group)
        columns["reward"].append(number(verdict.reward))
        columns["length"].append(tokens or said.said_chars)
        columns["state"].append((FINISHED if said.finished else 0) | failed | (TURNS if said.turns else 0))
        flags = {self._flags.setdefault(flag.name, len(self._flags)) for flag in verdict.flags}
        columns["f"].append(self._combinations.setdefault(tuple(sorted(flags)), len(self._combinations)))
        named = [(f"part {part.name}", part.value) for part in verdict.parts]
        for name, value in named + [(f"score {name}", value) for name, value in verdict.scores.items()]:
            if name in self._numbers or len(self._numbers) < MOST_NAMES:
                values = self._numbers.setdefault(name, [])
                values += [None] * (ordinal - len(values))
                values[ordinal:] = [number(value)]
        return ordinal

    def _close(self, entries: list[str]) -> None:
        self.blocks.append(zlib.compress(f"[{','.join(entries)}]".encode("ascii")))
        for group in self._open:
            self._block_of[group] = len(self.blocks) - 1
        self._open = []

    def _task_columns(self) -> dict[str, Json]:
        """The columns of tasks that have two values or some more: what a pass rate can be told by."""
        columns: dict[str, Json] = {}
        for name, values in self._columns.items():
            places = {value: place for place, value in enumerate(dict.fromkeys(values))}
            if 2 <= len(places) <= MOST_NAMES:
                columns[name] = {"values": [str(v) for v in places], "of": [places[value] for value in values]}
        return columns


def encoded(value: object) -> str:
    """A value as base64 of compressed JSON."""
    return base64.b64encode(_compressed(value)).decode("ascii")


def _compressed(value: object) -> bytes:
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return zlib.compress(text.encode("ascii"))


def _flat(config: Mapping[str, Json], before: str = "") -> Iterator[tuple[str, str]]:
    """The settings of a run, one line each: `control.clip_high`."""
    for key, value in config.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value if isinstance(value, str) else json.dumps(value)


def packed(runs: Iterable[ViewedRun], most_bytes: int | None) -> list[Packed]:
    """The runs, whose blocks are together at most about `most_bytes` long in the page; None is without a limit."""
    made = [Packed(run) for run in runs]
    if most_bytes is not None:
        for run in made:
            run.keep(most_bytes // len(made) * 3 // 4)  # base64 takes four characters for three bytes
    return made
