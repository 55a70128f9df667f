"""maj@k and best-of-k without bias: exact means over every subset of k completions, as pass@k is.

    maj@k      the answer that most of k completions give passes (Wang et al. 2022, arXiv 2203.11171)
    best-of-k  the completion that a scorer puts first of k passes (Stiennon et al. 2020, arXiv 2009.01325)

Ties are drawn among equals. The first of the most frequent answers, which is what lm-eval's `majority_vote` and
`collections.Counter.most_common` take, is such a draw once the completions of a subset come in random order.

>>> round(maj_at_k([(3, 1.0), (1, 0.0)], 3), 12)  # three completions say what is right, one says something else
1.0
>>> maj_at_k([(1, 1.0), (3, 0.0)], 2)  # a tie in half of the subsets
0.25
>>> best_of_k([(0.9, 0.0), (0.5, 1.0), (0.1, 1.0)], 2)  # the scorer's favourite is wrong
0.3333333333333333
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from rlenv.core.errors import ConfigError
from rlenv.evaluation.passk import Values, check_k

EXACT_N = 1_000
"""Up to so many completions a float holds the number of their subsets: C(1000, 500) is 2.7e299."""


def maj_at_k(answers: Sequence[tuple[int, float]], k: int) -> float:
    """The chance that the majority's answer of `k` completions passes.

    `answers` are the different answers of one problem: how many completions give it, and the share of those that pass.
    The ways to draw k completions are counted for each number of votes with which an answer may win.
    Raises ConfigError for k > n, and for n above 1,000.
    """
    n = sum(votes for votes, _ in answers)
    check_k(n, k)
    if n > EXACT_N:
        raise ConfigError(f"expected at most {EXACT_N:,} completions of a problem for maj@k, got {n}; give fewer")
    won = math.fsum(_won_with(answers, k, votes) for votes in range(1, min(k, max(m for m, _ in answers)) + 1))
    return min(1.0, won / math.comb(n, k))


def _won_with(answers: Sequence[tuple[int, float]], k: int, top: int) -> float:
    """The subsets of k whose winner has `top` votes, each counted by how far its winner passes."""
    tied = min(len(answers), k // top)
    ways = np.zeros((tied + 1, k + 1))  # of the answers so far: by how many have `top` votes, by completions drawn
    passed = np.zeros_like(ways)  # the same, each way times the sum of the shares that pass of those at the top
    ways[0, 0] = 1.0
    for votes, share in answers:
        draws = [math.comb(votes, drawn) for drawn in range(min(votes, top - 1, k) + 1)]
        new_ways, new_passed = _convolved(ways, draws), _convolved(passed, draws)
        if votes >= top:
            at_top = float(math.comb(votes, top))
            new_ways[1:, top:] += at_top * ways[:-1, : k + 1 - top]
            new_passed[1:, top:] += at_top * (passed + share * ways)[:-1, : k + 1 - top]
        ways, passed = new_ways, new_passed
    return math.fsum(float(passed[count, k]) / count for count in range(1, tied + 1))


def _convolved(table: Values, draws: Sequence[int]) -> Values:
    """One more answer of which less than the top number is drawn."""
    longer = np.zeros_like(table)
    for drawn, ways in enumerate(draws):
        longer[:, drawn:] += float(ways) * table[:, : table.shape[1] - drawn]
    return longer


def best_of_k(scored: Sequence[tuple[float, float]], k: int) -> float:
    """The chance that the highest score of `k` completions belongs to one that passes.

    `scored` is the score of each completion and how far it passes. Raises ConfigError for k > n and for a score that is
    no number.
    """
    n = len(scored)
    check_k(n, k)
    if any(math.isnan(score) for score, _ in scored):
        raise ConfigError("expected scores that are numbers, got NaN; leave such completions out")
    total, below, chances = math.comb(n, k), 0, list[float]()
    for _, alike in groupby(sorted(scored), key=lambda one: one[0]):
        passed = [share for _, share in alike]
        above = below + len(passed)
        first = (math.comb(above, k) - math.comb(below, k)) / total  # whole numbers: nothing cancels
        chances.append(first * math.fsum(passed) / len(passed))
        below = above
    return math.fsum(chances)
