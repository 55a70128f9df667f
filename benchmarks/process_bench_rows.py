r"""ProcessBench (arXiv 2412.06559): find the first wrong step of a solution, or say that there is none.

>>> rows = [Row("a", "p", ("1+1=3",), 0), Row("b", "q", ("1+1=2",), -1), Row("c", "r", ("x", "y"), 1)]
>>> found = measure(rows, [0, -1, 0])
>>> found.wrong.value, found.right.value, round(found.f1.value, 3)
(0.5, 1.0, 0.667)

`wrong` is the share of wrong solutions of which the very index of the first wrong step is said, `right` the share of
right solutions of which -1 is said, F1 their harmonic mean. A scorer that failed on a row has said nothing, which is
neither. Intervals are percentiles of 2,000 draws of problems with replacement: solutions of one problem stay together.

The problems are in two halves by a hash of their text, whatever the subset: rules, thresholds and models are made on
`tuning` alone, and `reporting` is looked at through figures alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rlenv.core.completion import Completion
from rlenv.core.errors import TaskError
from rlenv.core.task import Task
from rlenv.scorers.scorer import Stepped, StepScorer

Half: TypeAlias = Literal["tuning", "reporting"]
DRAWS = 2000
BETWEEN_STEPS = "\n\n"
_Counts: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Row:
    """A solution in steps; `label` is the index of the first wrong one, -1 where all are right."""

    id: str
    problem: str
    steps: tuple[str, ...]
    label: int
    generator: str = ""


class Share(NamedTuple):
    """A figure with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Figures:
    """What a list of predictions is worth on its rows."""

    f1: Share
    wrong: Share
    """Share of the wrong solutions whose first wrong step was named."""
    right: Share
    """Share of the right solutions that were let pass."""
    rows: tuple[int, int]
    """How many were wrong, and how many right."""
    failed: int = 0


def read_rows(path: Path) -> list[Row]:
    """The rows of one subset's JSON file. Raises TaskError for a label that points at no step."""
    rows = []
    for raw in json.loads(path.read_text(encoding="utf-8")):
        row = Row(raw["id"], raw["problem"], tuple(raw["steps"]), int(raw["label"]), raw.get("generator", ""))
        if not -1 <= row.label < len(row.steps):
            raise TaskError(f"row {row.id}: expected a label in -1..{len(row.steps) - 1}, got {row.label}")
        rows.append(row)
    return rows


def half_of(problem: str) -> Half:
    """Which half a problem belongs to, the same on every machine."""
    return "reporting" if hashlib.sha256(problem.encode()).digest()[0] % 2 else "tuning"


def stepped(row: Row) -> Stepped:
    """The row as a scorer of steps takes it: the steps as paragraphs, with their spans."""
    spans, at = [], 0
    for step in row.steps:
        spans.append((at, at + len(step)))
        at += len(step) + len(BETWEEN_STEPS)
    return Stepped(Task(row.problem, id=row.id), Completion(BETWEEN_STEPS.join(row.steps)), tuple(spans))


def first_below(values: Sequence[float], threshold: float) -> int:
    """The index of the first step whose score is below the threshold, -1 where there is none."""
    return next((index for index, value in enumerate(values) if value < threshold), -1)


def step_values(rows: Sequence[Row], scorer: StepScorer) -> list[tuple[float, ...] | None]:
    """What the scorer gives the steps of each row; None where it failed."""
    return [scores.values for scores in scorer.score_steps([stepped(row) for row in rows])]


def predictions(values: Sequence[Sequence[float] | None], threshold: float) -> list[int | None]:
    """The first wrong step of each row by a threshold; None where the scorer failed."""
    return [None if row is None else first_below(row, threshold) for row in values]


def best_threshold(rows: Sequence[Row], values: Sequence[Sequence[float] | None]) -> float:
    """The threshold of the highest F1 on these rows, which must be rows of the tuning half."""
    candidates = sorted({value for row in values if row is not None for value in row} | {1.0})
    if len(candidates) > 200:
        candidates = [float(value) for value in np.quantile(candidates, np.linspace(0, 1, 200))]
    return max(candidates, key=lambda candidate: _f1(_totals(rows, predictions(values, candidate)).sum(axis=0)))


def measure(rows: Sequence[Row], said: Sequence[int | None], seed: int = 0) -> Figures:
    """The figures of one prediction a row, with intervals."""
    counts = _totals(rows, said)
    draws = np.random.default_rng(seed).integers(len(counts), size=(DRAWS, len(counts)))
    drawn = [counts[draw].sum(axis=0) for draw in draws]
    hit_wrong, wrong, hit_right, right = (int(count) for count in counts.sum(axis=0))
    return Figures(
        f1=_share(_f1(counts.sum(axis=0)), [_f1(draw) for draw in drawn]),
        wrong=_share(_ratio(hit_wrong, wrong), [_ratio(int(draw[0]), int(draw[1])) for draw in drawn]),
        right=_share(_ratio(hit_right, right), [_ratio(int(draw[2]), int(draw[3])) for draw in drawn]),
        rows=(wrong, right),
        failed=sum(one is None for one in said),
    )


def _totals(rows: Sequence[Row], said: Sequence[int | None]) -> _Counts:
    """One line a problem: wrong solutions located, wrong solutions, right ones let pass, right ones."""
    lines: dict[str, _Counts] = {}
    for row, one in zip(rows, said, strict=True):
        line = lines.setdefault(row.problem, np.zeros(4, dtype=np.int64))
        line[0 if row.label >= 0 else 2] += one == row.label
        line[1 if row.label >= 0 else 3] += 1
    return np.stack(list(lines.values()))


def _f1(counts: _Counts) -> float:
    wrong, right = _ratio(int(counts[0]), int(counts[1])), _ratio(int(counts[2]), int(counts[3]))
    return 2 * wrong * right / (wrong + right) if wrong + right else 0.0


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _share(value: float, drawn: Sequence[float]) -> Share:
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Share(value, float(low), float(high))
