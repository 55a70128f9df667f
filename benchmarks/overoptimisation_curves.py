"""What overoptimisation.py measures: best-of-n without bias, KL from the start, gold at equal proxy, and fits.

best-of-n    KL = log n - (n - 1) / n, and the mean over every subset of n of a pool
fits         gold = d (a - b d) for best-of-n, gold = d (a - b log d) for RL, with d = sqrt(KL)
             (Gao, Schulman and Hilton 2022, arXiv 2210.10760, equations 1 and 2)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from made_up_words import different_letters
from numpy.typing import NDArray

from rlenv.core.episode import Episode
from rlenv.policies.transformers import TransformersPolicy
from rlenv.store.saved_episodes import read_episodes
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.rollouts.collect import tensors

Values = NDArray[np.float64]
WINDOW = 5
"""Rollouts in a mean: the gold of one rollout has a standard error of about 0.5."""


@dataclass(frozen=True)
class Curve:
    """One way of optimising, from little to much of it. All (points,)"""

    kl: Values
    """Nats a word, from the start policy."""
    proxy: Values
    """What was optimised."""
    single: Values
    """The score of the first proxy, whatever was optimised."""
    gold: Values

    def smooth(self) -> Curve:
        """Means over WINDOW points."""
        kernel = np.ones(WINDOW) / WINDOW
        return Curve(*(np.convolve(v, kernel, mode="valid") for v in (self.kl, self.proxy, self.single, self.gold)))


def best_of(scores: Values, outcome: Values, n: int) -> float:
    """The mean outcome of the best by score of n, over all subsets of n of a pool; equal scores share a weight."""
    size = len(scores)
    _, group, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    below = np.array([_log_choose(end, n) for end in (0, *ends)]) - _log_choose(size, n)
    weights = np.diff(np.exp(below)) / counts
    return float((weights[group] * outcome).sum())


def _log_choose(total: int, n: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(n + 1) - math.lgamma(total - n + 1) if total >= n else -math.inf


def best_of_n(scores: Values, single: Values, gold: Values, most: int) -> Curve:
    """For n = 1, 2, 4, ... `most`."""
    ns = [2**i for i in range(int(math.log2(most)) + 1)]
    kl = np.array([math.log(n) - (n - 1) / n for n in ns])
    return Curve(kl, *(np.array([best_of(scores, outcome, n) for n in ns]) for outcome in (scores, single, gold)))


def of_run(folder: Path, start: TransformersPolicy, single: str) -> Curve:
    """A training run, rollout by rollout; `single` is the score of the first proxy."""
    rollouts: dict[int, list[Episode]] = {}
    for episode in read_episodes(folder):
        rollouts.setdefault(episode.step, []).append(episode)
    rows = [_of_rollout(rollouts[step], start, single) for step in sorted(rollouts)]
    return Curve(*np.array(rows).T)


@torch.no_grad()
def _of_rollout(episodes: Sequence[Episode], start: TransformersPolicy, single: str) -> tuple[float, ...]:
    rollout = tensors(start, episodes)
    at_start, _ = completion_logprobs(start.model, rollout.ids, rollout.attention_mask, rollout.mask)
    kl = float((rollout.old_logprobs - at_start).sum(1).mean())
    paid = [e.verdict.reward for e in episodes if e.verdict.reward is not None]
    first = [e.verdict.scores[single] for e in episodes if e.verdict.graded]
    gold = [different_letters(e.completion.text) for e in episodes]
    return kl, float(np.mean(paid)), float(np.mean(first)), float(np.mean(gold))


def gold_at(curve: Curve, of: str, level: float) -> float:
    """The gold where a measure of the curve first reaches a level, between two points on a straight line."""
    values = getattr(curve, of)
    place = int(np.argmax(values >= level))
    if place == 0:
        return float(curve.gold[0])
    share = (level - values[place - 1]) / (values[place] - values[place - 1])
    return float(curve.gold[place - 1] + share * (curve.gold[place] - curve.gold[place - 1]))


def highest_common(curves: Sequence[Curve], of: str) -> float:
    """The highest level of a measure that all the curves reach."""
    return float(min(getattr(curve, of).max() for curve in curves))


def fitted(curve: Curve, *, logarithm: bool) -> tuple[float, float, float]:
    """a, b and the share of the variance that the fit explains; gold counts from the start policy's."""
    d, gained = np.sqrt(np.maximum(curve.kl, 1e-9)), curve.gold - curve.gold[0]
    used = d > 0.05
    d, gained = d[used], gained[used]
    columns = np.stack([d, -d * np.log(d) if logarithm else -d * d], axis=1)
    (a, b), *_ = np.linalg.lstsq(columns, gained, rcond=None)
    left = gained - columns @ np.array([a, b])
    return float(a), float(b), float(1 - left.var() / gained.var())
