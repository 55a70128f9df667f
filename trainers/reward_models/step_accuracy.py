"""How well a step model tells right steps from wrong ones, on completions that it did not learn from.

- `area`: the probability that a wrong step scores below a right one (the area under the ROC curve; one half is chance);
- `first wrong`: in completions with a wrong step, how often the first step below one half is the first wrong one;
- `all right`: in completions of right steps alone, how often no step is below one half.

The intervals of the last two resample prompts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.task import Task, prompt_text
from rlenv.evaluation.passk import Estimate, mean_interval
from rlenv.scorers.scorer import Stepped, StepScorer
from rlenv.trainers.reward_models.rows import StepLabels

BORDER = 0.5


@dataclass(frozen=True, slots=True)
class StepAccuracy:
    """Of one model on held-out completions."""

    completions: int
    steps: int
    wrong_steps: int
    area: float | None
    """None where all labelled steps are of one kind."""
    first_wrong: Estimate | None
    all_right: Estimate | None
    failures: int
    """Completions that the scorer failed on; they are left out of everything above."""


def measured_steps(scorer: StepScorer, rows: Sequence[StepLabels]) -> StepAccuracy:
    """The accuracy of the scorer on these rows."""
    scores = scorer.score_steps([stepped(row) for row in rows])
    scored = [(row, score.values) for row, score in zip(rows, scores, strict=True) if score.values is not None]
    labelled = [(v, label) for row, values in scored for v, label in zip(values, row.labels, strict=True)]
    right, wrong = ([v for v, label in labelled if label is kind] for kind in (True, False))
    return StepAccuracy(
        len(scored),
        len(right) + len(wrong),
        len(wrong),
        area_under_roc(right, wrong),
        _share([(row, first_below(v) == row.labels.index(False)) for row, v in scored if False in row.labels]),
        _share([(row, first_below(v) == -1) for row, v in scored if all(row.labels)]),
        len(rows) - len(scored),
    )


def stepped(row: StepLabels, joint: str = "\n") -> Stepped:
    """The row as what step scorers take: a completion of the steps, joined, with a span each."""
    spans, start = [], 0
    for step in row.steps:
        spans.append((start, start + len(step)))
        start += len(step) + len(joint)
    return Stepped(Task(row.prompt), Completion(joint.join(row.steps)), tuple(spans))


def first_below(values: Sequence[float], border: float = BORDER) -> int:
    """The index of the first score below the border; -1 where there is none.

    >>> first_below([0.9, 0.4, 0.1]), first_below([0.9])
    (1, -1)
    """
    return next((place for place, value in enumerate(values) if value < border), -1)


def area_under_roc(right: Sequence[float], wrong: Sequence[float]) -> float | None:
    """The share of (right, wrong) in which the right one scores higher; ties count one half.

    >>> area_under_roc([0.9, 0.5], [0.5, 0.1])
    0.875
    """
    if not right or not wrong:
        return None
    ordered = np.sort(np.asarray(wrong))
    below, up_to = (np.searchsorted(ordered, right, side=side) for side in ("left", "right"))
    return float((below + up_to).mean() / 2 / len(wrong))


def _share(rows: Sequence[tuple[StepLabels, bool]]) -> Estimate | None:
    groups: dict[str, list[float]] = {}
    for row, is_right in rows:
        groups.setdefault(prompt_text(row.prompt), []).append(float(is_right))
    return mean_interval([fmean(group) for group in groups.values()]) if groups else None
