"""The scores by which completions are ranked, and how well they tell what passes.

`logprob` is the sum of a completion's log-probs and `logprob-mean` their mean; any other name is a score of the
verdicts, or a scorer (rlenv.scorers.load) that looks at the saved completions now.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from rlenv.analysis.answers import Group
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.evaluation.passk import Values

LOGPROB, LOGPROB_MEAN = "logprob", "logprob-mean"
BINS = 10
Scores: TypeAlias = "list[list[float | None]]"
"""Of each problem, of each judged completion; None where it has none."""


def scores_of(groups: Sequence[Group], name: str) -> Scores:
    """Raises ConfigError where no completion has such a score."""
    if name in (LOGPROB, LOGPROB_MEAN):
        scores: Scores = [[_logprob(e.completion, name == LOGPROB_MEAN) for e in group.judged] for group in groups]
        missing = "no log-probs are saved; a model of this process saves them, an endpoint with --logprobs"
    elif any(name in e.verdict.scores for group in groups for e in group.judged):
        return [[e.verdict.scores.get(name) for e in group.judged] for group in groups]
    else:
        scores = _scored_now(groups, name)
        missing = f"the scorer {name} gave none"
    if not any(score is not None for own in scores for score in own):
        raise ConfigError(f"no completion has the score {name!r}: {missing}")
    return scores


def _logprob(completion: Completion, mean: bool) -> float | None:
    own = completion.logprobs
    if completion.mask:
        own = tuple(logprob for logprob, said in zip(own, completion.mask, strict=True) if said)
    if not own:
        return None
    return math.fsum(own) / len(own) if mean else math.fsum(own)


def _scored_now(groups: Sequence[Group], name: str) -> Scores:
    from rlenv.scorers.load import load_scorer

    saved = sorted({score for group in groups for e in group.judged for score in e.verdict.scores})
    if not any(mark in name for mark in (":", "/", "{")):
        raise ConfigError(
            f"no verdict has the score {name!r}; give one of {', '.join([LOGPROB, LOGPROB_MEAN, *saved])}, or a scorer "
            "as MODULE:FUNCTION, ./FOLDER or HUB/ID"
        )
    jobs = [(e.task, e.completion) for group in groups for e in group.judged]
    values = iter([score.value for score in load_scorer(name).score(jobs)])
    return [[next(values) for _ in group.judged] for group in groups]


class Bin(NamedTuple):
    """Completions with a score in [low, high), in the last bin up to 1."""

    low: float
    high: float
    completions: int
    mean: float
    passed: float


class Calibration(NamedTuple):
    """How a score goes with passing."""

    auroc: float | None
    """The chance that of one that passes and one that does not, the first has the higher score; ties count half.
    None where all or none pass."""
    bins: list[Bin]
    """Empty where scores lie outside [0, 1]: they are no probabilities then."""
    ece: float | None
    """Mean of |pass rate - score| over bins, by their counts (Guo et al. 2017, arXiv 1706.04599, eq. 3)."""
    brier: float | None
    """Mean of (passes - score)^2."""


def calibration(scores: Sequence[float], passed: Sequence[bool]) -> Calibration:
    """Of completions with their scores.

    >>> found = calibration([0.9, 0.8, 0.1], [True, False, False])
    >>> found.auroc, round(found.brier, 4), [one.completions for one in found.bins]
    (1.0, 0.22, [1, 1, 1])
    """
    score, ok = np.array(scores, dtype=np.float64), np.array(passed, dtype=np.bool_)  # (N,), (N,)
    auroc = _auroc(score[ok], np.sort(score[~ok]))
    if not ((score >= 0) & (score <= 1)).all():
        return Calibration(auroc, [], None, None)
    place = np.minimum((score * BINS).astype(np.intp), BINS - 1)
    bins = [
        Bin(i / BINS, (i + 1) / BINS, int(own.sum()), float(score[own].mean()), float(ok[own].mean()))
        for i in range(BINS)
        if (own := place == i).any()
    ]
    ece = math.fsum(one.completions * abs(one.passed - one.mean) for one in bins) / len(score)
    return Calibration(auroc, bins, ece, float(((ok - score) ** 2).mean()))


def _auroc(right: Values, wrong: Values) -> float | None:
    """`wrong` is sorted."""
    if not len(right) or not len(wrong):
        return None
    below = np.searchsorted(wrong, right, "left") + np.searchsorted(wrong, right, "right")
    return float(below.sum() / 2 / (len(right) * len(wrong)))
