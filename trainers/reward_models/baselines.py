"""What a reward model must beat: rules that never read the prompt. Each gives one number a pair: score(chosen) minus
score(rejected).

- `length`: the longer completion is better, or the shorter one, whichever holds more often in what was learned from;
- `bag of words`: logistic regression without intercept on the difference of word counts, L2 of weight 1, which is
  Bradley-Terry with a score that is linear in the counts. Words of the prompt cancel, since both completions have it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rlenv.trainers.branches.preference import Pair

Values = NDArray[np.float64]
NEWTON_STEPS = 25


def length_differences(learned: Sequence[Pair], asked: Sequence[Pair]) -> list[float]:
    """By how many characters the chosen completion is the longer one, with the sign that held among `learned`.

    >>> same = [Pair("p", "long", "no")]
    >>> length_differences(same, [Pair("p", "a", "bcd")])
    [-2.0]
    """
    sign = 1.0 if sum(np.sign(_longer(pair)) for pair in learned) >= 0 else -1.0
    return [sign * _longer(pair) for pair in asked]


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


def _longer(pair: Pair) -> float:
    return float(len(pair.chosen) - len(pair.rejected))


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
