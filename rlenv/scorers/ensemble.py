"""Several scorers as one, so that fooling one of them does not pay.

    {"kind": "ensemble", "members": ["models/rm-0", "models/rm-1", "models/rm-2"], "combine": "min"}

`mean`, `min` (worst case) or `cautious` (the mean less `k` times the population variance, arXiv 2310.02743). Members
must share a scale: reward models differ by a constant that their training does not fix, so centre each first
(`mean` and `std` of a sequence classifier). Where a member fails the ensemble fails: with a member left out it would
be another one.

>>> from rlenv.scorers.scorer import FunctionScorer, ask
>>> members = [FunctionScorer(lambda completion: len(completion)), FunctionScorer(lambda completion: 5.0)]
>>> score = ask(EnsembleScorer(members, combine="min"), ["Say hi"], ["hi"])[0]
>>> score.value, score.labels["spread"]
(2.0, 3.0)
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.scorers.load import load_scorer
from rlenv.scorers.scorer import Job, Score, Scorer, fingerprint

SPREAD = "spread"
Rule: TypeAlias = Literal["mean", "min", "cautious"]


@dataclass(frozen=True)
class Combination:
    """How the scores of several members become one number.

    `min` is worst-case, `cautious` uncertainty-weighted optimisation (arXiv 2310.02743, equations 4 and 5), with the
    population variance.

    >>> [Combination(rule, k=0.5).of([0.0, 1.0]) for rule in ("mean", "min", "cautious")]
    [0.5, 0.0, 0.375]
    """

    rule: Rule = "min"
    k: float = 1.0
    """How much of the variance `cautious` takes off."""

    def __post_init__(self) -> None:
        if self.rule not in get_args(Rule):
            raise ConfigError(f"expected a rule of {', '.join(get_args(Rule))}, got {self.rule!r}")
        if not (math.isfinite(self.k) and self.k >= 0):
            raise ConfigError(f"expected k of 0 or more, got {self.k!r}")

    def of(self, values: Sequence[float]) -> float:
        """The one number that stands for these."""
        if self.rule == "min":
            return min(values)
        mean = statistics.fmean(values)
        return mean if self.rule == "mean" else mean - self.k * statistics.pvariance(values)


def spread(values: Sequence[float]) -> float:
    """How far the members are apart: the greatest less the least."""
    return max(values) - min(values)


@dataclass(frozen=True)
class EnsembleScorer:
    """Members, and how their scores become one.

    The labels of a score hold each member's value, under its name, and their `spread`.
    """

    members: Sequence[Scorer]
    combine: Rule = "min"
    k: float = 1.0
    """How much of the variance `cautious` takes off."""
    name: str = "ensemble"
    combination: Combination = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.members) < 2:
            raise ConfigError(f"expected an ensemble of at least two members, got {len(self.members)}")
        object.__setattr__(self, "combination", Combination(self.combine, self.k))

    @property
    def version(self) -> str:
        return fingerprint([[member.name, member.version] for member in self.members], self.combine, self.k)

    @property
    def labels(self) -> list[str]:
        """The members' names, numbered where two are equal."""
        names = [member.name for member in self.members]
        return [name if names.count(name) == 1 else f"{name}-{i}" for i, name in enumerate(names)]

    def score(self, jobs: Sequence[Job]) -> list[Score]:
        """Raises VerifierContractError where a member gives more or fewer scores than it was asked for."""
        of_members = [member.score(jobs) for member in self.members]
        if any(len(scores) != len(jobs) for scores in of_members):
            got = [len(scores) for scores in of_members]
            raise VerifierContractError(f"expected {len(jobs)} scores of every member, got {got}")
        return [self._combined(scores) for scores in zip(*of_members, strict=True)]

    def _combined(self, scores: Sequence[Score]) -> Score:
        members = dict(zip(self.labels, scores, strict=True))
        flags = tuple(flag for score in scores for flag in score.flags)
        values = {label: score.value for label, score in members.items() if score.value is not None}
        if len(values) < len(scores):
            failed = [
                f"{label}: {score.reason or 'no score'}" for label, score in members.items() if label not in values
            ]
            return Score.failure("; ".join(failed), flags)
        numbers = list(values.values())
        return Score(self.combination.of(numbers), {**values, SPREAD: spread(numbers)}, flags=flags)


def ensemble(members: Sequence[Json], combine: Rule = "min", k: float = 1.0, name: str = "ensemble") -> Scorer:
    """An ensemble of the scorers that these specifications name."""
    return EnsembleScorer([load_scorer(member) for member in members], combine, k, name)
