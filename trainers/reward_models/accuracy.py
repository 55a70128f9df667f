"""How well a trained scorer tells better from worse on what it did not learn from, with intervals; and the report.

Of a reward model: how often it puts the better completion of a pair above the worse one; a tie counts one half. The
accuracy is the mean over groups of pairs (the prompt, where the file names no group) of the mean within the group, so
that intervals, which resample groups, are of the same figure. It must beat rules that never read the prompt:

- `length`: the longer completion is better, or the shorter one, whichever holds more often in what was learned from;
- `bag of words`: logistic regression without intercept on the difference of word counts, L2 of weight 1, which is
  Bradley-Terry with a score that is linear in the counts. Words of the prompt cancel, since both completions have it.

Of a step model:

- `area`: the probability that a wrong step scores below a right one (the area under the ROC curve; one half is chance);
- `first wrong`: in completions with a wrong step, how often the first step below one half is the first wrong one;
- `all right`: in completions of right steps alone, how often no step is below one half.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, prompt_text
from rlenv.evaluation.passk import Estimate, mean_interval
from rlenv.scorers.scorer import Scorer, Stepped, StepScorer, ask
from rlenv.store.files import replace_text
from rlenv.text.escaping import shown_cell, shown_line
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.reward_models.rows import Preference, StepLabels

Values = NDArray[np.float64]
NEWTON_STEPS = 25


def length_differences(learned: Sequence[Pair], asked: Sequence[Pair]) -> list[float]:
    """By how many characters the chosen completion is the longer one, with the sign that held among `learned`.

    >>> same = [Pair("p", "long", "no")]
    >>> length_differences(same, [Pair("p", "a", "bcd")])
    [-2.0]
    """

    def longer(pair: Pair) -> float:
        return float(len(pair.chosen) - len(pair.rejected))

    sign = 1.0 if sum(np.sign(longer(pair)) for pair in learned) >= 0 else -1.0
    return [sign * longer(pair) for pair in asked]


def bag_of_words_differences(learned: Sequence[Pair], asked: Sequence[Pair]) -> list[float]:
    """By how much the chosen completion scores more in a bag of words fitted on `learned`.

    >>> learned = [Pair("p", "yes sir", "no"), Pair("q", "yes", "no way")]
    >>> bag_of_words_differences(learned, [Pair("r", "yes", "no")])[0] > 0
    True
    """
    vocabulary = {w: i for i, w in enumerate(sorted({w for p in learned for w in words(p.chosen + " " + p.rejected)}))}
    weights = _fitted(_features(learned, vocabulary))
    return [float(value) for value in _features(asked, vocabulary) @ weights]


def words(text: str) -> list[str]:
    """Words and single signs, without case."""
    return re.findall(r"\w+|[^\w\s]", text.casefold())


def _features(pairs: Sequence[Pair], vocabulary: dict[str, int]) -> Values:
    features = np.zeros((len(pairs), len(vocabulary)))  # (M, V)
    for row, pair in enumerate(pairs):
        for text, sign in ((pair.chosen, 1.0), (pair.rejected, -1.0)):
            for word, count in Counter(words(text)).items():
                if word in vocabulary:
                    features[row, vocabulary[word]] += sign * count
    return features


def _fitted(features: Values) -> Values:
    """argmin over w of sum log(1 + exp(-x w)) + |w|^2 / 2, by Newton's method in the space of the rows.

    w lies in the span of the rows (w = X' a), so that the system to solve is as large as the pairs are many, or as the
    words where these are fewer.
    """
    if features.shape[0] > features.shape[1]:
        return _newton(features)
    basis, _ = np.linalg.qr(features.T)  # (V, M)
    return np.asarray(basis @ _newton(features @ basis))


def _newton(features: Values) -> Values:
    weights = np.zeros(features.shape[1])
    for _ in range(NEWTON_STEPS):
        wrong = 1 / (1 + np.exp(np.clip(features @ weights, -500, 500)))  # (M,)
        gradient = weights - features.T @ wrong
        curvature = np.eye(len(weights)) + (features * (wrong * (1 - wrong))[:, None]).T @ features
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return weights


@dataclass(frozen=True, slots=True)
class PairAccuracy:
    """Of one model on held-out pairs."""

    pairs: int
    model: Estimate
    baselines: dict[str, Estimate]
    gains: dict[str, Estimate]
    """How much higher than each baseline, pair by pair: above 0 where the interval is."""
    kinds: dict[str, tuple[int, float, dict[str, float]]]
    """For each kind of pair: how many, the model's share right, and each baseline's."""
    failures: int
    """Pairs with a completion that the scorer failed on; they are left out of everything above."""

    def lines(self) -> list[str]:
        """The figures as tables in Markdown."""
        names = list(self.baselines)
        head = [
            f"| kind of pair | pairs | the model | {' | '.join(names)} |",
            "|---|---|---" + "|---" * len(names) + "|",
        ]
        rows = [
            f"| {shown_cell(kind) or '(none)'} | {count} | {mine:.3f} |" + "".join(f" {theirs[n]:.3f} |" for n in names)
            for kind, (count, mine, theirs) in self.kinds.items()
        ]
        return [
            f"Accuracy on {self.pairs} held-out pairs in {self.model.problems} groups ({self.failures} more could not "
            "be scored), with 95 % intervals over groups; a tie counts one half.",
            "",
            "| score | accuracy | the model's lead |",
            "|---|---|---|",
            f"| the model | {self.model} | |",
            *(f"| {name} | {value} | {self.gains[name]} |" for name, value in self.baselines.items()),
            "",
            *([] if set(self.kinds) == {""} else [*head, *rows, ""]),
        ]

    def to_json(self) -> dict[str, Json]:
        kinds = {kind: {"pairs": n, "accuracy": mine, **theirs} for kind, (n, mine, theirs) in self.kinds.items()}
        return {
            "pairs": self.pairs,
            "failures": self.failures,
            "accuracy": self.model.to_json(),
            "baselines": {name: value.to_json() for name, value in self.baselines.items()},
            "leads": {name: value.to_json() for name, value in self.gains.items()},
            "kinds": kinds,
        }


def measured(scorer: Scorer, learned: Sequence[Preference], held_out: Sequence[Preference]) -> PairAccuracy:
    """The accuracy of the scorer on pairs that it did not learn from, beside baselines that learned from the same."""
    differences = score_differences(scorer, held_out)
    asked = [row for row, difference in zip(held_out, differences, strict=True) if difference is not None]
    if not asked:
        raise ConfigError(f"expected at least one held-out pair with scores, got none out of {len(held_out)}")
    right = [right_of(difference) for difference in differences if difference is not None]
    known, pairs = [row.pair for row in learned], [row.pair for row in asked]
    others = {
        "length": [right_of(d) for d in length_differences(known, pairs)],
        "bag of words": [right_of(d) for d in bag_of_words_differences(known, pairs)],
    }
    gains = {
        name: _over_groups(asked, [mine - yours for mine, yours in zip(right, values, strict=True)], (-1.0, 1.0))
        for name, values in others.items()
    }
    return PairAccuracy(
        len(asked),
        _over_groups(asked, right),
        {name: _over_groups(asked, values) for name, values in others.items()},
        gains,
        {kind: _of_kind(kind, asked, right, others) for kind in sorted({row.kind for row in asked})},
        len(held_out) - len(asked),
    )


def score_differences(scorer: Scorer, rows: Sequence[Preference]) -> list[float | None]:
    """score(chosen) - score(rejected); None where the scorer failed on either."""
    prompts = [row.pair.prompt for row in rows]
    chosen = ask(scorer, prompts, [row.pair.chosen for row in rows])
    rejected = ask(scorer, prompts, [row.pair.rejected for row in rows])
    return [
        None if better.value is None or worse.value is None else better.value - worse.value
        for better, worse in zip(chosen, rejected, strict=True)
    ]


def right_of(difference: float) -> float:
    """1 for the right order, 0 for the wrong one, one half for a tie.

    >>> right_of(0.2), right_of(0.0), right_of(-3)
    (1.0, 0.5, 0.0)
    """
    return 0.5 if difference == 0 else float(difference > 0)


def _over_groups(
    rows: Sequence[Preference], values: Sequence[float], bounds: tuple[float, float] = (0.0, 1.0)
) -> Estimate:
    groups: dict[str, list[float]] = {}
    for row, value in zip(rows, values, strict=True):
        groups.setdefault(row.held_together, []).append(value)
    return mean_interval([fmean(group) for group in groups.values()], bounds=bounds)


def _of_kind(
    kind: str, rows: Sequence[Preference], right: Sequence[float], others: dict[str, list[float]]
) -> tuple[int, float, dict[str, float]]:
    places = [place for place, row in enumerate(rows) if row.kind == kind]
    of_others = {name: fmean(values[place] for place in places) for name, values in others.items()}
    return len(places), fmean(right[place] for place in places), of_others


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

    def lines(self) -> list[str]:
        """The figures as a table in Markdown."""
        area = "-" if self.area is None else f"{self.area:.3f}"
        return [
            f"On {self.completions} held-out completions with {self.steps} labelled steps, {self.wrong_steps} of them "
            f"wrong ({self.failures} more could not be scored); 95 % intervals over prompts.",
            "",
            "| figure | value |",
            "|---|---|",
            f"| a wrong step scores below a right one | {area} |",
            f"| first wrong step found | {self.first_wrong or '-'} |",
            f"| completion of right steps passed | {self.all_right or '-'} |",
            "",
        ]

    def to_json(self) -> dict[str, Json]:
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value.to_json() if isinstance(value, Estimate) else value for name, value in told.items()}


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


def write_report(
    out: Path, title: str, learned: int, left_out: str, accuracy: PairAccuracy | StepAccuracy | None, seed: str
) -> None:
    """report.md for people, report.json for programs; `left_out` says how many rows, and why."""
    measured = ["Nothing was held out, so nothing was measured.", ""] if accuracy is None else accuracy.lines()
    lines = [f"# {shown_line(title)}", "", f"{learned} rows learned from, {left_out}; seed {seed}.", "", *measured]
    figures = {"learned": learned, "left_out": int(left_out.split()[0]), **(accuracy.to_json() if accuracy else {})}
    replace_text(out / "report.md", "\n".join(lines))
    replace_text(out / "report.json", json.dumps(figures, indent=2) + "\n")
