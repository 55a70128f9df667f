"""Compares saved evaluations pair by pair: differences with intervals, tests, flips, and what it all says in words.

`runs/a` is a side of one run; `runs/a1,runs/a2,runs/a3` one of three training seeds; `GRPO=runs/a1,runs/a2` names it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from rlenv.comparison.difference import Difference, Table, difference, holm
from rlenv.core.errors import ConfigError, RunError
from rlenv.core.jsontypes import Json
from rlenv.evaluation.passk import pass_at_k
from rlenv.evaluation.savedrun import GROWING, REPORTING, SavedRun
from rlenv.evaluation.summary import Problem, Summary
from rlenv.text.escaping import shown_line

MOST_FLIPS = 10
"""How many of the most changed tasks are listed."""
NOT_COMPARED = {*REPORTING, *GROWING[1:], "chunk_tasks", "seed"}
"""Settings in which sides may differ without a word."""


class Run:
    """What a comparison needs of one evaluation, also of one that was judged again (`DIR/rescored`)."""

    def __init__(self, folder: Path, threshold: float | None) -> None:
        saved = SavedRun(folder)
        self.folder = folder
        self.summary = Summary.of(saved.episodes(), saved.settings_or_rescored(), threshold)
        self.problems = self.summary.by_task()
        if not self.problems:
            raise RunError(
                f"{folder} has no episodes yet; finish the evaluation (the same `rlenv eval` command goes on)"
            )


@dataclass(frozen=True)
class Side:
    """One model, or one recipe with several training seeds."""

    name: str
    runs: tuple[Run, ...]

    def tasks(self, judged: int) -> list[str]:
        """The tasks of which every run has so many judged completions, in the first run's order."""
        runs = [run.problems for run in self.runs]
        return [task for task in runs[0] if all(task in own and own[task].judged >= judged for own in runs)]

    def values(self, tasks: Sequence[str], of: Callable[[Problem], float]) -> Table:
        """One value a run and task. (S, T)"""
        return np.array([[of(run.problems[task]) for task in tasks] for run in self.runs], dtype=np.float64)

    def settings(self, key: str) -> list[Json]:
        """What its runs have set, each value once."""
        values: list[Json] = []
        for run in self.runs:
            value = run.summary.settings.get(key)
            values += [] if value in values else [value]
        return values


def read_side(text: str | Path, threshold: float | None) -> Side:
    """The side that a text names. Raises RunError where a folder holds no evaluation."""
    whole = str(text)
    if Path(whole).is_dir():
        return Side(shown_line(whole), (Run(Path(whole), threshold),))
    name, equals, folders = whole.partition("=")
    listed = [Path(folder) for folder in (folders if equals else whole).split(",") if folder]
    if not listed:
        raise ConfigError(f"expected FOLDER, FOLDER,FOLDER or NAME=FOLDER,FOLDER, got {whole!r}")
    if len({folder.resolve() for folder in listed}) < len(listed):
        raise ConfigError(f"{whole}: a folder stands there twice; give each training seed's evaluation once")
    return Side(shown_line(name if equals else whole), tuple(Run(folder, threshold) for folder in listed))


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
        measures: dict[str, Json] = {name: measure.to_json() for name, measure in self.measures.items()}
        return {**asdict(self), "measures": measures}

    def lines(self, pairs: int) -> list[str]:
        """The pair in words, as one of so many."""
        same = next(iter(self.measures.values())).estimate.problems - self.better - self.worse
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
    unfinished: tuple[str, ...] = ()
    """How far the runs came that have not ended, in words."""

    def to_json(self) -> dict[str, Json]:
        return {
            "env": self.env,
            "k": self.k,
            "threshold": self.threshold,
            "sides": {name: list(values) for name, values in self.sides.items()},
            "pairs": [pair.to_json() for pair in self.pairs],
        }

    def __str__(self) -> str:
        head = shown_line(f"{self.env}: pass@{self.k}, a completion passes at a reward of {self.threshold:g} or more")
        lines = [*self.unfinished, head]
        for name, values in self.sides.items():
            several = f" ({len(values)} runs: {', '.join(f'{value:.3f}' for value in values)})"
            lines.append(f"  {math.fsum(values) / len(values):.3f}  {name}{several if len(values) > 1 else ''}")
        for pair in self.pairs:
            lines += ["", *pair.lines(len(self.pairs))]
        return "\n".join(lines)


def compare(*sides: str | Path, k: int = 1, threshold: float | None = None, flips: int = MOST_FLIPS) -> Comparison:
    """Compare evaluations saved by `rlenv.evaluate(..., out=...)`, `rlenv.rescore` or `rlenv import`, each with each.

    A side is a folder, or several between commas: the evaluations of one recipe's training seeds. Tasks are paired by
    id. `threshold` is that of the runs unless given.

    Raises ConfigError for fewer than two sides, and where sides share no task with k judged completions.
    """
    if len(sides) < 2:
        raise ConfigError("expected at least two sides to compare, such as runs/before runs/after")
    read = [read_side(side, threshold) for side in sides]
    at = _threshold(read)
    pairs = [_pair(first, second, k, flips) for first, second in combinations(read, 2)]
    passes = {side.name: tuple(map(float, side.values(side.tasks(k), _pass_at(k)).mean(axis=1))) for side in read}
    unfinished = [
        f"{shown_line(str(run.folder))}: {run.summary.unfinished}"
        for side in read
        for run in side.runs
        if run.summary.unfinished
    ]
    return Comparison(str(read[0].settings("env")[0]), k, at, passes, _corrected(pairs), tuple(unfinished))


def _threshold(sides: Sequence[Side]) -> float:
    """Of all runs; the sides and their runs have to be different ones."""
    names = [side.name for side in sides]
    if len(set(names)) < len(names):
        raise ConfigError(f"expected sides of different names, got {', '.join(names)}; name them: NAME=FOLDER")
    runs = [run for side in sides for run in side.runs]
    if len({run.folder.resolve() for run in runs}) < len(runs):
        raise ConfigError("expected each run on one side, got one that stands on two; compare runs with others")
    thresholds = {run.summary.threshold for run in runs}
    if len(thresholds) > 1:
        raise ConfigError(
            f"the runs count a pass at different rewards ({sorted(thresholds)}); give one threshold for all"
        )
    return thresholds.pop()


def _pass_at(k: int) -> Callable[[Problem], float]:
    return lambda problem: pass_at_k(problem.judged, problem.passed, k)


def _mean(problem: Problem) -> float:
    return math.fsum(problem.rewards) / problem.judged


def _pair(first: Side, second: Side, k: int, most: int) -> Pair:
    shared = set(first.tasks(k)) & set(second.tasks(k))
    tasks = sorted(shared)  # an endpoint's answers come in any order
    runs = (*first.runs, *second.runs)
    dropped = len({task for run in runs for task in run.problems}) - len(tasks)
    if not tasks:
        raise ConfigError(_nothing_shared(first, second, k))
    old, new = (side.values(tasks, _pass_at(k)) for side in (first, second))
    measures = {f"pass@{k}": difference(old, new, dropped=dropped)}
    rewards = [side.values(tasks, _mean) for side in (first, second)]
    if not (np.allclose(rewards[0], old) and np.allclose(rewards[1], new)):  # sums and products round apart
        every_reward = [reward for run in runs for task in tasks for reward in run.problems[task].rewards]
        width = max(every_reward) - min(every_reward)
        measures["mean reward"] = difference(*rewards, width=width, dropped=dropped)
    change = new.mean(axis=0) - old.mean(axis=0)  # (T,)
    largest = [int(i) for i in np.argsort(-np.abs(change), kind="stable")[:most] if change[i]]
    prompts = {task: problem.prompt for task, problem in first.runs[0].problems.items()}
    flips = [Flip(tasks[i], prompts[tasks[i]], float(old[:, i].mean()), float(new[:, i].mean())) for i in largest]
    better, worse = int((change > 0).sum()), int((change < 0).sum())
    return Pair(first.name, second.name, measures, better, worse, tuple(flips), _notes(first, second, dropped))


def _nothing_shared(first: Side, second: Side, k: int) -> str:
    runs = [run.problems for side in (first, second) for run in side.runs]
    most = max(min(own[task].judged if task in own else 0 for own in runs) for task in runs[0])
    advice = f"give k of at most {most}, or evaluate with a larger n" if most else "evaluate both on equal tasks"
    return f"no task has {k} judged completions in every run of {first.name} and of {second.name}; {advice}"


def _notes(first: Side, second: Side, dropped: int) -> tuple[str, ...]:
    keys = sorted({key for side in (first, second) for run in side.runs for key in run.summary.settings} - NOT_COMPARED)
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
        for name, measure in pair.measures.items():
            ps.setdefault(name, []).append(measure.p)
    adjusted = {name: iter(holm(own)) for name, own in ps.items()}
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
    noticed = f"four of five such comparisons would detect one of {found.noticed:.3f}"
    return [f"{figures} ({found.test})", f"  no difference can be told; {noticed}"]


def _p(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}" if p < 0.1 else f"p = {p:.2f}"
