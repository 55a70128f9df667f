"""Compares saved evaluations pair by pair: differences with intervals, tests, flips, and what it all says in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import cast

import numpy as np

from rlenv.comparison.difference import Difference, difference
from rlenv.comparison.sides import Side, read_side
from rlenv.comparison.significance import holm
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.evaluation.passk import pass_at_k
from rlenv.evaluation.savedrun import GROWING, REPORTING
from rlenv.text.escaping import shown_line

MOST_FLIPS = 10
"""How many of the most changed tasks are listed."""
NOT_COMPARED = {*REPORTING, *GROWING[1:], "chunk_tasks", "seed"}
"""Settings in which sides may differ without a word."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A task on which the sides differ."""

    task_id: str
    prompt: str
    first: float
    """Its pass@k on the first side, as a mean over training seeds."""
    second: float


@dataclass(frozen=True)
class Pair:
    """Two sides, the second against the first."""

    first: str
    second: str
    measures: dict[str, Difference]
    """pass@k, and the mean reward where it is something else."""
    better: int
    """Tasks with a higher pass@k on the second side."""
    worse: int
    flips: tuple[Flip, ...]
    """The most changed of them, the largest change first."""
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        measures: dict[str, Json] = {name: found.to_json() for name, found in self.measures.items()}
        return {**asdict(self), "measures": measures, "flips": [asdict(flip) for flip in self.flips]}

    def lines(self, pairs: int) -> list[str]:
        """The pair in words, as one of so many."""
        found = next(iter(self.measures.values()))
        same = found.estimate.problems - self.better - self.worse
        lines = [f"{self.second} against {self.first}"]
        for name, measure in self.measures.items():
            lines += [f"  {line}" for line in _told(name, measure, self, pairs)]
        lines.append(f"  better on {self.better} tasks, worse on {self.worse}, equal on {same}")
        for flip in self.flips:
            lines.append(f"    {flip.first:.2f} -> {flip.second:.2f}  {shown_line(flip.task_id)}: {flip.prompt}")
        return [*lines, *(f"  note: {note}" for note in self.notes)]


@dataclass(frozen=True)
class Comparison:
    """Every pair of sides."""

    env: str
    k: int
    threshold: float
    sides: dict[str, tuple[float, ...]]
    """pass@k of each run of each side, over the tasks that the side has."""
    pairs: tuple[Pair, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "env": self.env,
            "k": self.k,
            "threshold": self.threshold,
            "sides": {name: list(found) for name, found in self.sides.items()},
            "pairs": [pair.to_json() for pair in self.pairs],
        }

    def __str__(self) -> str:
        lines = [
            shown_line(f"{self.env}: pass@{self.k}, a completion passes at a reward of {self.threshold:g} or more")
        ]
        for name, found in self.sides.items():
            seeds = f" ({len(found)} runs: {', '.join(f'{value:.3f}' for value in found)})" if len(found) > 1 else ""
            lines.append(f"  {math.fsum(found) / len(found):.3f}  {name}{seeds}")
        for pair in self.pairs:
            lines += ["", *pair.lines(len(self.pairs))]
        return "\n".join(lines)


def compare(*sides: str | Path, k: int = 1, threshold: float | None = None, flips: int = MOST_FLIPS) -> Comparison:
    """Compare evaluations saved by `rlenv.evaluate(..., out=...)`, `rlenv.rescore` or `rlenv import`, each with each.

    A side is a folder, or several between commas: the evaluations of one recipe's training seeds (see
    `rlenv.comparison.sides`). Tasks are paired by id. `threshold` is that of the runs unless given.

    Raises ConfigError for fewer than two sides, and where sides share no task with k judged completions.
    """
    if len(sides) < 2:
        raise ConfigError("expected at least two sides to compare, such as runs/before runs/after")
    read = _named(sides)
    at = _threshold(read) if threshold is None else threshold
    pairs = [_pair(first, second, k, at, flips) for first, second in combinations(read, 2)]
    passes = {
        side.name: tuple(float(run.mean()) for run in side.values(side.tasks(k), lambda r: _pass(r, k, at)))
        for side in read
    }
    return Comparison(str(read[0].settings("env")[0]), k, at, passes, _corrected(pairs))


def _named(sides: Sequence[str | Path]) -> list[Side]:
    read = [read_side(side) for side in sides]
    names = [side.name for side in read]
    if len(set(names)) < len(names):
        raise ConfigError(f"expected sides of different names, got {', '.join(names)}; name them: NAME=FOLDER")
    folders = [run.folder.resolve() for side in read for run in side.runs]
    if len(set(folders)) < len(folders):
        raise ConfigError("expected each run on one side, got one that stands on two; compare runs with others")
    return read


def _threshold(sides: Sequence[Side]) -> float:
    found = {cast("float", value) for side in sides for value in side.settings("threshold")}
    if len(found) > 1:
        raise ConfigError(f"the runs count a pass at different rewards ({sorted(found)}); give one threshold for all")
    return found.pop()


def _pass(rewards: list[float], k: int, threshold: float) -> float:
    return pass_at_k(len(rewards), sum(reward >= threshold for reward in rewards), k)


def _mean(rewards: list[float]) -> float:
    return math.fsum(rewards) / len(rewards)


def _pair(first: Side, second: Side, k: int, threshold: float, most: int) -> Pair:
    others = set(second.tasks(k))
    tasks = sorted(task for task in first.tasks(k) if task in others)  # an endpoint's answers come in any order
    every = {task for side in (first, second) for run in side.runs for task in run.rewards}
    dropped = len(every) - len(tasks)
    if not tasks:
        raise ConfigError(_nothing_shared(first, second, k))
    old, new = (side.values(tasks, lambda r: _pass(r, k, threshold)) for side in (first, second))
    measures = {f"pass@{k}": difference(old, new, dropped=dropped)}
    rewards = [side.values(tasks, _mean) for side in (first, second)]
    if not (np.allclose(rewards[0], old) and np.allclose(rewards[1], new)):  # sums and products round apart
        every_reward = [r for side in (first, second) for run in side.runs for task in tasks for r in run.rewards[task]]
        width = max(every_reward) - min(every_reward)
        measures["mean reward"] = difference(*rewards, width=width, dropped=dropped)
    change = new.mean(axis=0) - old.mean(axis=0)
    largest = [int(i) for i in np.argsort(-np.abs(change), kind="stable")[:most] if change[i]]
    prompts = first.runs[0].prompts
    flips = [Flip(tasks[i], prompts[tasks[i]], float(old[:, i].mean()), float(new[:, i].mean())) for i in largest]
    better, worse = int((change > 0).sum()), int((change < 0).sum())
    return Pair(first.name, second.name, measures, better, worse, tuple(flips), _notes(first, second, dropped))


def _nothing_shared(first: Side, second: Side, k: int) -> str:
    fewest = [
        min(len(run.rewards.get(task, ())) for side in (first, second) for run in side.runs)
        for task in first.runs[0].rewards
    ]
    most = max(fewest)
    advice = f"give k of at most {most}, or evaluate with a larger n" if most else "evaluate both on equal tasks"
    return f"{first.name} and {second.name} share no task with {k} judged completions; {advice}"


def _notes(first: Side, second: Side, dropped: int) -> tuple[str, ...]:
    keys = sorted({key for side in (first, second) for run in side.runs for key in run.settings} - NOT_COMPARED)
    apart = [key for key in keys if first.settings(key) != second.settings(key)]
    notes = [f"{dropped} tasks are left out: a run lacks them, or has too few judged completions"] if dropped else []
    notes += [f"the sides differ in {', '.join(map(shown_line, apart))}"] if apart else []
    alone = [side.name for side in (first, second) if len(side.runs) == 1]
    if len(alone) == 1:
        notes.append(f"{alone[0]} is one run: that model as it is, not what its recipe would give by another seed")
    return tuple(notes)


def _corrected(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """With Holm's p over all pairs, for each measure by itself."""
    ps: dict[str, list[float]] = {}
    for pair in pairs:
        for name, found in pair.measures.items():
            ps.setdefault(name, []).append(found.p)
    adjusted = {name: iter(holm(found)) for name, found in ps.items()}
    return tuple(
        replace(pair, measures={name: replace(d, p_holm=next(adjusted[name])) for name, d in pair.measures.items()})
        for pair in pairs
    )


def _told(name: str, found: Difference, pair: Pair, pairs: int) -> list[str]:
    """One measure in words."""
    e = found.estimate
    several = f", {_p(found.p_holm)} after Holm for {pairs} pairs" if pairs > 1 else ""
    figures = f"{name} {e.value:+.3f} [{e.low:+.3f}, {e.high:+.3f}] over {e.problems} tasks, {_p(found.p)}{several}"
    higher = pair.second if e.value > 0 else pair.first
    if found.told:
        return [f"{figures} ({found.test})", f"  {higher} is higher"]
    more = found.tasks_for_a_point
    point = "more training seeds, not more tasks" if more is None else f"{more:,} tasks"
    noticed = f"noticed four times in five: {found.noticed:.3f} as it is, 0.010 with {point}"
    return [f"{figures} ({found.test})", f"  no difference can be told; {noticed}"]


def _p(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}" if p < 0.1 else f"p = {p:.2f}"
