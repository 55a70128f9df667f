"""A verifier of two scorers: one gives the reward, the other what it costs.

>>> from rlenv import Completion, Task
>>> from rlenv.scorers.load import load_scorer
>>> helpful, harmful = (load_scorer(f) for f in (lambda completion: len(completion) - 2.0, lambda completion: 0.25))
>>> verdict = RewardAndCost(helpful, harmful).verify(Task("Say hi"), Completion("hi"))
>>> verdict.reward, dict(verdict.scores)
(0.5, {'reward': 0.0, 'cost': 0.25})
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict, is_over_limit
from rlenv.scorers.scorer import Job, Score, Scorer, scores_of

REWARD, COST = "reward", "cost"
"""The part and the scores of every verdict."""


@dataclass(frozen=True)
class RewardAndCost:
    """A BatchVerifier whose reward is what the first scorer says; the cost is a score, for `Lagrangian` to weigh.

    The scorers are shown the content alone.

    Where either scorer fails there is no verdict: a reward without its cost would be another reward. A completion that
    is too long for one of them is paid 0, the least that a squashed score can be.
    """

    reward: Scorer
    cost: Scorer | None = None
    squash: bool = True
    """The reward is the sigmoid of the score: for a Bradley-Terry model, how likely the completion is preferred to one
    of score 0. It is bounded, so that no score, however high, is worth breaking everything else for."""

    @property
    def cheap(self) -> bool:
        """Never, as any ScorerVerifier."""
        return False

    @property
    def version(self) -> str:
        scorers = [self.reward] if self.cost is None else [self.reward, self.cost]
        names = "+".join(f"{scorer.name}:{scorer.version}" for scorer in scorers)
        return f"{names}:{'squashed' if self.squash else 'raw'}:content"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return next(verdict for _, verdict in self.verify_all([(task, completion)]))

    def verify_all(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Verdict]]:
        shown = [(task, completion.said()) for task, completion in jobs]
        rewards = scores_of(self.reward, shown)
        costs = None if self.cost is None else scores_of(self.cost, shown)
        for index, reward in enumerate(rewards):
            verdict = self._verdict(reward, None if costs is None else costs[index])
            yield index, verdict.placed(jobs[index][1].content)

    def _verdict(self, reward: Score, cost: Score | None) -> Verdict:
        flags = (*reward.flags, *(() if cost is None else cost.flags))
        if is_over_limit(flags):
            return Verdict.of((REWARD, 0.0), flags=flags, reason=flags[0].detail)
        if reward.value is None:
            return Verdict.error(f"{REWARD}: {reward.reason or 'no score'}", flags)
        scores = {**reward.labels, REWARD: reward.value}
        if cost is not None:
            if cost.value is None:
                return Verdict.error(f"{COST}: {cost.reason or 'no score'}", flags)
            scores |= {f"{COST}/{name}": value for name, value in cost.labels.items()}
            scores[COST] = cost.value
        paid = sigmoid(reward.value) if self.squash else reward.value
        return Verdict.of((REWARD, paid), scores=scores, flags=flags, reason=reward.reason)


def sigmoid(value: float) -> float:
    """1 / (1 + exp(-value)), without overflow."""
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    return math.exp(value) / (1 + math.exp(value))
