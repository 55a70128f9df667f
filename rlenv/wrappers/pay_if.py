"""Pays only where a condition on the verdict holds: style counts for right answers alone, nothing for a flagged one.

>>> from rlenv import Completion, Episode, Task, Verdict
>>> wrong = Episode(Task("?"), Completion("x"), Verdict.of(("correct", 0.0), ("style", 0.5)))
>>> PayIf(part="correct").judge([wrong], {})[0].parts
(Part(name='correct', value=0.0), Part(name='style', value=0.5), Part(name='pay_if', value=-0.5))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.verdict import Verdict, is_over_limit, to_reward
from rlenv.core.wrapper import State


@dataclass(frozen=True, kw_only=True)
class PayIf:
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

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        return [self._gated(episode.verdict) for episode in episodes]

    def _gated(self, verdict: Verdict) -> Verdict:
        if verdict.reward is None or verdict.reward <= self.otherwise or self._holds(verdict):
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
