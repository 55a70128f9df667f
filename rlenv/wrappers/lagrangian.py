"""A reward and a cost in one: a fixed weight, or a multiplier that keeps the measured cost at its budget.

    paid = (reward - multiplier * cost) / (1 + multiplier)             (Safe RLHF, arXiv 2310.12773, section 3.3)

The multiplier moves after every `window` graded episodes, by how far their mean cost lies above the budget:

    additive   multiplier <- max(0, multiplier + rate * (mean cost - budget))
    log        ln multiplier <- ln multiplier + rate * multiplier * (mean cost - budget)    (Safe RLHF's own)

`proportional` and `derivative` make the additive rule a PID controller (Stooke et al. 2020, arXiv 2007.03964,
algorithm 2), of which `rate` is the integral gain: the plain rule answers the cost late, and can swing around its
budget where the policy learns fast. How we deviate: their derivative is of a delayed and smoothed cost, ours is the
rise from one window to the next.

A wrapper sees one group at a time. So a window is counted in episodes, is closed by the group that fills it, and a
group is always paid at one multiplier, the one that the groups before it left. With `window` the size of a rollout
there is one update a rollout, as in the paper. Episodes whose checker failed count in no mean. With several processes
every one sees all groups in the same order, and so holds the same multiplier. In a single environment a group is one
episode, and each copy of a vector environment has a multiplier of its own.

>>> from rlenv import Completion, Episode, Task, Verdict
>>> state, lagrangian = {}, Lagrangian(budget=0.25, rate=2.0, window=2)
>>> verdict = Verdict.of(("reward", 1.0), scores={"cost": 0.75})
>>> group = [Episode(Task("?"), Completion("x"), verdict)] * 2
>>> [lagrangian.judge(group, state)[0].reward for _ in range(3)]  # at multipliers 0, 1 and 2
[1.0, 0.125, -0.16666666666666666]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import OVER_LIMIT, Verdict, to_reward
from rlenv.core.wrapper import State

Update: TypeAlias = Literal["additive", "log"]
MULTIPLIER, MEAN_COST = "multiplier", "mean_cost"
"""Scores of every verdict: what it was paid at, and the mean cost of the last whole window, once there is one."""


@dataclass(frozen=True, kw_only=True)
class Lagrangian:
    """What comes in is the reward; the verdict's score `cost` is the cost. Appended parts: the cost, the division."""

    cost: str = "cost"
    """The score that is the cost."""
    budget: float | None = None
    """The mean cost that is allowed; None keeps the first multiplier, a fixed weight."""
    multiplier: float = 0.0
    """The first one."""
    update: Update = "additive"
    rate: float = 0.1
    proportional: float = 0.0
    derivative: float = 0.0
    """Gain on the rise of the cost since the window before; a fall counts as 0."""
    window: int = 256
    """Graded episodes between two updates: best those of one rollout."""
    largest: float = 100.0
    """The multiplier never exceeds this; at it the reward counts next to nothing."""
    normalise: bool = True
    """Divide by 1 + multiplier, so that what is paid stays of the size of reward and cost."""
    unpriced: tuple[str, ...] = (OVER_LIMIT,)
    """Flags of graded verdicts that may lack a cost, because nobody was asked for it: left as they are, in no mean."""
    name: str = "lagrangian"

    def __post_init__(self) -> None:
        if self.update not in get_args(Update):
            raise ConfigError(f"expected an update of {', '.join(get_args(Update))}, got {self.update!r}")
        gains = (self.rate, self.proportional, self.derivative, self.multiplier)
        if not all(math.isfinite(gain) and gain >= 0 for gain in gains) or not self.largest >= self.multiplier:
            raise ConfigError(f"expected gains and a multiplier of 0 to {self.largest}, got {gains}")
        if self.budget is not None and not math.isfinite(self.budget):
            raise ConfigError(f"expected a finite budget, or None for a fixed weight, got {self.budget!r}")
        if self.window < 1:
            raise ConfigError(f"expected a window of at least 1 episode, got {self.window}")
        if self.update == "log" and self.budget is not None:
            if self.multiplier == 0:
                raise ConfigError("a multiplier of 0 has no logarithm to move: give a first one above 0, such as 1.0")
            if self.proportional or self.derivative:
                raise ConfigError("proportional and derivative are gains of update='additive'; leave them at 0")

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        costs = [self._cost(episode.verdict) for episode in episodes]
        now, mean = _number(state, MULTIPLIER, self.multiplier), state.get(MEAN_COST)
        scores = {MULTIPLIER: now} | ({} if mean is None else {MEAN_COST: float(str(mean))})
        if self.budget is not None:
            self._observe([cost for cost in costs if cost is not None], self.budget, state)
        return [
            e.verdict if cost is None else self._paid(e.verdict, cost, now, scores)
            for e, cost in zip(episodes, costs, strict=True)
        ]

    def _cost(self, verdict: Verdict) -> float | None:
        """None where there is none to pay: the checker failed, or the completion was never priced."""
        cost = verdict.scores.get(self.cost)
        if cost is not None and verdict.graded:
            return cost
        if not verdict.graded or any(flag.name in self.unpriced for flag in verdict.flags):
            return None
        raise VerifierContractError(f"expected a score {self.cost!r}, got {sorted(verdict.scores)}")

    def _paid(self, verdict: Verdict, cost: float, multiplier: float, scores: dict[str, float]) -> Verdict:
        verdict = replace(verdict, scores={**verdict.scores, **scores})
        verdict = verdict.with_part("cost", 0.0 - multiplier * cost)
        if not self.normalise or verdict.reward is None:
            return verdict
        return to_reward(verdict, verdict.reward / (1 + multiplier), self.name)

    def _observe(self, costs: Sequence[float], budget: float, state: State) -> None:
        """Add these costs to the window and, where they fill it, move the multiplier."""
        total, count = _number(state, "total", 0.0) + math.fsum(costs), _number(state, "count", 0.0) + len(costs)
        if count < self.window:
            state.update({"total": total, "count": count})
            return
        mean = total / count
        moved = self._moved(mean, budget, state)
        state.update({"total": 0.0, "count": 0.0, MEAN_COST: mean, **moved})

    def _moved(self, mean: float, budget: float, state: State) -> dict[str, Json]:
        """The next multiplier, and the integral behind it."""
        above = mean - budget
        if self.update == "log":
            now = _number(state, MULTIPLIER, self.multiplier)
            step = min(self.rate * now * above, math.log(self.largest / now))
            return {MULTIPLIER: max(now * math.exp(step), 1e-6)}
        rise = max(0.0, mean - _number(state, MEAN_COST, mean))
        integral = self._bounded(_number(state, "integral", self.multiplier) + self.rate * above)
        controlled = integral + self.proportional * above + self.derivative * rise
        return {MULTIPLIER: self._bounded(controlled), "integral": integral}

    def _bounded(self, value: float) -> float:
        return min(max(value, 0.0), self.largest)


def _number(state: State, key: str, default: float) -> float:
    return float(str(state.get(key, default)))
