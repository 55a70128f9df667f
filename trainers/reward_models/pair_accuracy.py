"""How often a score puts the better completion of a pair above the worse one, with intervals and beside baselines.

A tie counts one half. The accuracy is the mean over groups of pairs (the prompt, where the file names no group) of the
mean within the group, so that intervals, which resample groups, are of the same figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from rlenv.core.errors import ConfigError
from rlenv.evaluation.passk import Estimate, mean_interval
from rlenv.scorers.scorer import Scorer, ask
from rlenv.trainers.reward_models.baselines import bag_of_words_differences, length_differences
from rlenv.trainers.reward_models.rows import Preference


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
