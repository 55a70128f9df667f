"""Combines several scores of one thing so that fooling one of them does not pay.

`min` is worst-case, `cautious` uncertainty-weighted optimisation (arXiv 2310.02743, equations 4 and 5): the mean
less `k` times the population variance. What parts of the same names paid is replaced by the combination; the
spread is reported as the score `ensemble_spread`.

>>> from rlenv import Completion, Episode, Task, Verdict
>>> verdict = Verdict.of(("a", 0.5), ("b", 0.1), ("brief", 0.2), scores={"a": 1.0, "b": 0.2})
>>> episode = Episode(Task("?"), Completion("x"), verdict)
>>> judged = Ensemble(("a", "b"), rule="min").judge([episode], {})[0]
>>> judged.reward, judged.scores["ensemble_spread"]
(0.4, 0.8)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.verdict import Flag, Verdict, is_over_limit, to_reward
from rlenv.core.wrapper import State
from rlenv.scorers.ensemble import Combination, Rule, spread


@dataclass(frozen=True)
class Ensemble:
    """A verdict that lacks one of the scores is an error: an ensemble with a member left out would be another one.

    That of a completion over a limit stays as it is: it has none, by its own doing.
    """

    scores: tuple[str, ...]
    rule: Rule = "min"
    k: float = 1.0
    """How much of the variance `cautious` takes off."""
    disagreement: float | None = None
    """A spread above this is flagged."""
    name: str = "ensemble"

    def __post_init__(self) -> None:
        Combination(self.rule, self.k)
        if len(set(self.scores)) < 2 or len(set(self.scores)) < len(self.scores):
            raise ConfigError(f"expected at least two different scores, got {self.scores!r}")

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        return [self._combined(episode) for episode in episodes]

    def _combined(self, episode: Episode) -> Verdict:
        verdict = episode.verdict
        if verdict.reward is None:
            return verdict
        missing = [name for name in self.scores if name not in verdict.scores]
        if missing and is_over_limit(verdict.flags):
            return verdict
        if missing:
            raise VerifierContractError(f"expected the scores {missing}, got {sorted(verdict.scores)}")
        values = [verdict.scores[name] for name in self.scores]
        apart = spread(values)
        rest = [part.value for part in verdict.parts if part.name not in self.scores]
        combined = to_reward(verdict, math.fsum((*rest, Combination(self.rule, self.k).of(values))), self.name)
        combined = replace(combined, scores={**verdict.scores, "ensemble_spread": apart})
        if self.disagreement is None or apart <= self.disagreement:
            return combined
        detail = f"scores between {min(values):.3g} and {max(values):.3g}"
        return combined.with_flag(Flag(self.name, 0, len(episode.completion.text), detail))
