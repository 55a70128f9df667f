"""Wrappers that change what a verdict pays: scale, clip, weights, conditions, running means, a penalty on length.

Each change is a part of the reward under the wrapper's name, and a failure of the checker stays one.

>>> from rlenv import Completion, Episode, Task, Verdict
>>> def after(wrapper, *parts, state=None):
...     episode = Episode(Task("?"), Completion("x", token_ids=tuple(range(90))), Verdict.of(*parts))
...     return wrapper.judge([episode], {} if state is None else state)[0]
>>> after(Scale(0.5, offset=-3.0), ("judge", 8.0)).reward
1.0
>>> after(Clip(-1.0, 1.0), ("judge", 7.0)).parts
(Part(name='judge', value=7.0), Part(name='clip', value=-6.0))
>>> after(WeightedParts({"style": 0.5}), ("correct", 1.0), ("style", 0.5)).reward
1.25
>>> after(PayIf(part="correct"), ("correct", 0.0), ("style", 0.5)).parts
(Part(name='correct', value=0.0), Part(name='style', value=0.5), Part(name='pay_if', value=-0.5))
>>> state = {}
>>> [after(RunningCentre(decay=0.5), ("correct", 1.0), state=state).reward for _ in range(3)]
[1.0, 0.5, 0.25]
>>> after(OverlongPenalty(limit=100, buffer=20), ("correct", 1.0)).parts
(Part(name='correct', value=1.0), Part(name='overlong', value=-0.5))
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.verdict import Flag, Verdict, is_over_limit, to_reward
from rlenv.core.wrapper import State


class Change(ABC):
    """A wrapper that pays each graded completion by its own verdict alone."""

    name: str

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        return [e.verdict if e.verdict.reward is None else self.paid(e.verdict, e.verdict.reward, e) for e in episodes]

    @abstractmethod
    def paid(self, verdict: Verdict, reward: float, episode: Episode) -> Verdict:
        """The verdict with what is paid for it now; `reward` is what was."""


@dataclass(frozen=True)
class Scale(Change):
    """`factor * reward + offset`: a judge's 1 to 10 becomes 0 to 1 with `Scale(1 / 9, offset=-1 / 9)`."""

    factor: float
    offset: float = 0.0
    name: str = "scale"
    shaping: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (math.isfinite(self.factor) and math.isfinite(self.offset)):
            raise ConfigError(f"expected a finite factor and offset, got {self.factor!r} and {self.offset!r}")

    def paid(self, verdict: Verdict, reward: float, episode: Episode) -> Verdict:
        return to_reward(verdict, self.factor * reward + self.offset, self.name)


@dataclass(frozen=True)
class Clip(Change):
    """The reward is at least `low` and at most `high`: one outlier of a learned reward decides no update."""

    low: float = -1.0
    high: float = 1.0
    name: str = "clip"
    shaping: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if math.isnan(self.low) or math.isnan(self.high) or self.low > self.high:
            raise ConfigError(f"expected low <= high, got {self.low!r} and {self.high!r}")

    def paid(self, verdict: Verdict, reward: float, episode: Episode) -> Verdict:
        return to_reward(verdict, min(max(reward, self.low), self.high), self.name)


@dataclass(frozen=True)
class WeightedParts(Change):
    """Each part named counts with its weight, every other with `rest`; the verifier stays as it is."""

    weights: Mapping[str, float] = field(hash=False)
    rest: float = 1.0
    name: str = "weighted_parts"

    def __post_init__(self) -> None:
        if not all(math.isfinite(weight) for weight in (*self.weights.values(), self.rest)):
            raise ConfigError(f"expected finite weights, got {dict(self.weights)!r} and rest {self.rest!r}")

    def paid(self, verdict: Verdict, reward: float, episode: Episode) -> Verdict:
        terms = [self.weights.get(part.name, self.rest) * part.value for part in verdict.parts]
        return to_reward(verdict, math.fsum(terms) if terms else self.rest * reward, self.name)


@dataclass(frozen=True, kw_only=True)
class PayIf(Change):
    """The reward is at most `otherwise` unless the condition holds; exactly one condition is given."""

    part: str | None = None
    """This part gives at least `least`; parts of one name are added up, and one that is not there gives 0."""
    score: str | None = None
    """This score is at least `least`. A verdict without it is an error: a misspelt name would pay nobody."""
    without_flag: str | None = None
    """The verdict has no flag of this name."""
    least: float = 1.0
    otherwise: float = 0.0
    name: str = "pay_if"

    def __post_init__(self) -> None:
        given = [condition for condition in (self.part, self.score, self.without_flag) if condition is not None]
        if len(given) != 1:
            raise ConfigError(f"expected exactly one of part, score and without_flag, got {len(given)}")

    def paid(self, verdict: Verdict, reward: float, episode: Episode) -> Verdict:
        if reward <= self.otherwise or self._holds(verdict):
            return verdict
        return to_reward(verdict, self.otherwise, self.name)

    def _holds(self, verdict: Verdict) -> bool:
        if self.without_flag is not None:
            return all(flag.name != self.without_flag for flag in verdict.flags)
        if self.part is not None:
            return sum(part.value for part in verdict.parts if part.name == self.part) >= self.least
        score = verdict.scores.get(str(self.score))
        if score is None and is_over_limit(verdict.flags):
            return False
        if score is None:
            raise VerifierContractError(f"expected a score {self.score!r}, got {sorted(verdict.scores)}")
        return score >= self.least


@dataclass(frozen=True)
class OverlongPenalty(Change):
    """A soft penalty near the token limit (DAPO, arXiv 2503.14476, equation 13).

    It is 0 up to `limit - buffer` tokens and falls linearly to -`weight` at `limit`. Lengths are in tokens that the
    policy said, in all turns of an episode; deviation: in characters where no tokens are known.
    """

    limit: int
    buffer: int
    weight: float = 1.0
    name: str = "overlong"
    shaping: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.buffer <= self.limit:
            raise ConfigError(f"expected 0 < buffer <= limit, got buffer {self.buffer} and limit {self.limit}")

    def paid(self, verdict: Verdict, reward: float, episode: Episode) -> Verdict:
        completion = episode.completion
        length = completion.said_tokens or completion.said_chars
        excess = min(length - (self.limit - self.buffer), self.buffer)
        if excess <= 0:
            return verdict
        flag = Flag(self.name, 0, len(completion.text), f"{length} of {self.limit}")
        return verdict.with_part(self.name, -self.weight * excess / self.buffer, flag)


@dataclass(frozen=True)
class RunningCentre:
    """Takes off the running mean, which moves by `1 - decay` of the way to each group's mean after it is judged."""

    decay: float = 0.99
    name: str = "centre"
    shaping: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.decay < 1:
            raise ConfigError(f"expected 0 <= decay < 1, got {self.decay!r}")

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        mean = float(str(state.get("mean", 0.0)))
        rewards = [e.verdict.reward for e in episodes if e.verdict.reward is not None]
        if rewards:
            state["mean"] = mean + (1 - self.decay) * (sum(rewards) / len(rewards) - mean)
        return [e.verdict.with_part(self.name, -mean) for e in episodes]


@dataclass(frozen=True)
class RunningNormalise:
    """Brings rewards to mean 0 and deviation 1 (population; Welford) by what the run has paid in the groups before.

    >>> from rlenv import Completion, Episode, Task, Verdict
    >>> state, normalise = {}, RunningNormalise(least=2)
    >>> group = [Episode(Task("?"), Completion("x"), Verdict.of(("judge", reward))) for reward in (2.0, 6.0)]
    >>> [[verdict.reward for verdict in normalise.judge(group, state)] for _ in range(2)]
    [[2.0, 6.0], [-1.0, 1.0]]
    """

    least: int = 32
    """Rewards before the first change."""
    memory: int | None = None
    """About how many rewards back it looks; None means all of them."""
    name: str = "normalise"
    shaping: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.least < 2 or (self.memory is not None and self.memory < 2):
            raise ConfigError(f"expected least and memory of at least 2, got {self.least} and {self.memory}")

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        count, mean, square = before = tuple(float(str(state.get(key, 0.0))) for key in ("count", "mean", "square"))
        for reward in (e.verdict.reward for e in episodes if e.verdict.reward is not None):
            if self.memory is not None and count >= self.memory:
                count, square = count * (1 - 1 / self.memory), square * (1 - 1 / self.memory)
            count += 1
            moved = reward - mean
            mean += moved / count
            square += moved * (reward - mean)
        state.update({"count": count, "mean": mean, "square": square})
        return [self._normalised(e.verdict, *before) for e in episodes]

    def _normalised(self, verdict: Verdict, count: float, mean: float, square: float) -> Verdict:
        """Where all rewards were equal so far there is no scale yet."""
        deviation = math.sqrt(square / count) if count >= self.least else 0.0
        if verdict.reward is None or deviation <= 1e-8 * max(1.0, abs(mean)):
            return verdict
        return to_reward(verdict, (verdict.reward - mean) / deviation, self.name)
