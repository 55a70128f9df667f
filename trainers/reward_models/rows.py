"""The rows of training files, JSONL: pairs of completions with a margin, and completions with a label a step.

    {"prompt": "2+2=?", "chosen": "4", "rejected": "5", "margin": 1.0}
    {"prompt": "2+2+3=?", "completions": ["2+2=4", "4+3=8"], "labels": [true, false]}

The first is TRL's preference format (rlenv.trainers.branches.preference), the second the format of TRL's PRM
trainer. A label may be null: nobody knows, and nothing is learned there.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Prompt, Task
from rlenv.trainers.branches.preference import Pair, read_rows

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Preference:
    """A pair, by how much the better one is better, and what kind of pair it is."""

    pair: Pair
    margin: float | None = None
    kind: str = ""
    """Accuracy is told apart by it in the report."""
    group: str = ""
    """Rows of one group lie on one side of the split, and are drawn together for intervals; the prompt if empty."""

    @classmethod
    def from_row(cls, row: Mapping[str, Json]) -> Preference:
        """A preference from a row. Raises TaskError that says what is wrong."""
        margin = row.get("margin")
        if margin is not None and (isinstance(margin, bool) or not isinstance(margin, (int, float))):
            raise TaskError(f"expected 'margin' to be a number, got {margin!r}")
        if isinstance(margin, (int, float)) and not math.isfinite(margin):
            raise TaskError(f"expected 'margin' to be finite, got {margin!r}")
        pair = Pair.from_row(row)
        if pair.chosen == pair.rejected:
            raise TaskError("expected 'chosen' and 'rejected' to differ, got the same text twice")
        kind, group = (str(row.get(name) or "") for name in ("kind", "group"))
        return cls(pair, None if margin is None else float(margin), kind, group)

    @property
    def held_together(self) -> str:
        """What the split and the intervals go by."""
        return self.group or json.dumps(self.pair.prompt)


@dataclass(frozen=True, slots=True)
class StepLabels:
    """A completion in steps, with whether each is right."""

    prompt: Prompt
    steps: tuple[str, ...]
    labels: tuple[bool | None, ...]

    @classmethod
    def from_row(cls, row: Mapping[str, Json]) -> StepLabels:
        """From a row with prompt, completions and labels. Raises TaskError that says what is wrong."""
        missing = [name for name in ("prompt", "completions", "labels") if name not in row]
        if missing:
            raise TaskError(f"expected columns prompt, completions and labels, got {sorted(row)}; add {missing[0]!r}")
        steps, labels = row["completions"], row["labels"]
        if not _is_list(steps, lambda step: isinstance(step, str)):
            raise TaskError(f"expected 'completions' to be a list of steps as text, got {steps!r:.80}")
        if not _is_list(labels, lambda label: label is None or isinstance(label, bool)):
            raise TaskError(f"expected 'labels' to be a list of true, false or null, got {labels!r:.80}")
        if len(steps) != len(labels) or not steps:  # type: ignore[arg-type]  # lists, by the two checks above
            raise TaskError(f"expected one label a step, got {len(steps)} steps and {len(labels)} labels")  # type: ignore[arg-type]
        return cls(Task.from_row({"prompt": row["prompt"]}).prompt, tuple(steps), tuple(labels))  # type: ignore[arg-type]


def read_preferences(path: str | Path, *, margin: bool = False) -> list[Preference]:
    """The preferences of a file; with `margin`, every row must have one. Raises TaskError that names the line."""

    def read(row: Mapping[str, Json]) -> Preference:
        found = Preference.from_row(row)
        if margin and found.margin is None:
            raise TaskError("expected a column 'margin' in every row when margins are asked for; leave margin=true out")
        return found

    return read_rows(path, read, "row")


def read_step_labels(path: str | Path) -> list[StepLabels]:
    """The labelled completions of a file. Raises TaskError that names the line."""
    return read_rows(path, StepLabels.from_row, "row")


def _is_list(value: Json, fits: Callable[[object], bool]) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(fits(item) for item in value)


def split_by(rows: Sequence[Row], key: Callable[[Row], str], *, share: float, seed: int) -> tuple[list[Row], list[Row]]:
    """(learned, held out): the share of the keys whose hash is lowest is held out, with all its rows.

    Keys are compared without case and spacing. A key keeps its side when rows are added or change their order, but
    for those near the border.

    >>> rows = ["a", "b", "a", "c"]
    >>> learned, held = split_by(rows, lambda row: row, share=0.34, seed=0)
    >>> sorted({*learned, *held}), set(learned) & set(held), len(set(held))
    (['a', 'b', 'c'], set(), 1)
    """
    folded = [" ".join(key(row).casefold().split()) for row in rows]
    order = sorted(set(folded), key=lambda text: hashlib.blake2b(f"{seed} {text}".encode()).digest())
    held = set(order[: round(share * len(order))])
    return (
        [row for row, text in zip(rows, folded, strict=True) if text not in held],
        [row for row, text in zip(rows, folded, strict=True) if text in held],
    )
