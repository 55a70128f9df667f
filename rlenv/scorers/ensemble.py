"""Several scorers as one, so that fooling one of them does not pay.

    {"kind": "ensemble", "members": ["models/rm-0", "models/rm-1", "models/rm-2"], "combine": "min"}

`mean`, `min` (worst case) or `cautious` (the mean less `k` times the population variance, arXiv 2310.02743). Members
must share a scale: reward models differ by a constant that their training does not fix, so centre each first
(`mean` and `std` of a sequence classifier). Where a member fails the ensemble fails: with a member left out it would
be another one.

>>> from rlenv.scorers.function import FunctionScorer
>>> from rlenv.scorers.scorer import ask
>>> members = [FunctionScorer(lambda completion: len(completion)), FunctionScorer(lambda completion: 5.0)]
>>> score = ask(EnsembleScorer(members, combine="min"), ["Say hi"], ["hi"])[0]
>>> score.value, score.labels["spread"]
(2.0, 3.0)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from rlenv.core.aggregate import Combination, Rule, spread
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Flag
from rlenv.scorers.load import load_scorer, load_step_scorer
from rlenv.scorers.scorer import Job, Score, Scorer, Stepped, StepScorer, StepScores
from rlenv.scorers.settings import fingerprint

SPREAD = "spread"
_Said = TypeVar("_Said", Score, StepScores)


@dataclass(frozen=True)
class EnsembleScorer:
    """The labels of a score hold each member's value, under its name, and their `spread`."""

    members: Sequence[Scorer]
    combine: Rule = "min"
    k: float = 1.0
    """How much of the variance `cautious` takes off."""
    disagreement: float | None = None
    """A spread above this is flagged."""
    name: str = "ensemble"
    _combination: Combination = field(init=False, repr=False)
    _labels: tuple[str, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_combination", Combination(self.combine, self.k))
        object.__setattr__(self, "_labels", _labels([member.name for member in self.members]))

    @property
    def version(self) -> str:
        return _version(self.members, self.combine, self.k)

    def score(self, jobs: Sequence[Job]) -> list[Score]:
        said = [_as_many(member.name, member.score(jobs), jobs) for member in self.members]
        return [self._combined(job, scores) for job, scores in zip(jobs, zip(*said, strict=True), strict=True)]

    def _combined(self, job: Job, scores: Sequence[Score]) -> Score:
        values = [score.value for score in scores if score.value is not None]
        flags = tuple(flag for score in scores for flag in score.flags)
        if len(values) < len(scores):
            return Score(None, reason=_failures(self._labels, scores), flags=flags)
        apart = spread(values)
        if self.disagreement is not None and apart > self.disagreement:
            detail = f"members between {min(values):.3g} and {max(values):.3g}"
            flags = (*flags, Flag(self.name, 0, len(job[1].text), detail))
        labels = {**dict(zip(self._labels, values, strict=True)), SPREAD: apart}
        return Score(self._combination.of(values), labels, flags=flags)


@dataclass(frozen=True)
class EnsembleStepScorer:
    """The same, step by step. What `cautious` takes off ends at 0, since a step's score is a probability."""

    members: Sequence[StepScorer]
    combine: Rule = "min"
    k: float = 1.0
    name: str = "ensemble"
    _combination: Combination = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_combination", Combination(self.combine, self.k))
        _labels([member.name for member in self.members])

    @property
    def version(self) -> str:
        return _version(self.members, self.combine, self.k)

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        said = [_as_many(member.name, member.score_steps(jobs), jobs) for member in self.members]
        return [self._combined(job, scores) for job, scores in zip(jobs, zip(*said, strict=True), strict=True)]

    def _combined(self, job: Stepped, scores: Sequence[StepScores]) -> StepScores:
        values = [score.values for score in scores if score.values is not None]
        if len(values) < len(scores):
            why = "; ".join(r for score in scores if score.values is None for r in score.reasons)
            return StepScores.failure(why, tuple(flag for score in scores for flag in score.flags))
        if any(len(given) != len(job.spans) for given in values):
            return StepScores.failure(f"expected {len(job.spans)} step scores, got {[len(given) for given in values]}")
        steps = list(zip(*values, strict=True))
        reasons = tuple(f"{SPREAD} {spread(step):.3g}" for step in steps)
        return StepScores(tuple(max(0.0, self._combination.of(step)) for step in steps), reasons)


def ensemble(members: Sequence[Json], combine: Rule = "min", k: float = 1.0, name: str = "ensemble") -> Scorer:
    """An ensemble of the scorers that these specifications name."""
    return EnsembleScorer([load_scorer(member) for member in members], combine, k, name=name)


def step_ensemble(members: Sequence[Json], combine: Rule = "min", k: float = 1.0, name: str = "ensemble") -> StepScorer:
    """An ensemble of the scorers of steps that these specifications name."""
    return EnsembleStepScorer([load_step_scorer(member) for member in members], combine, k, name)


def _labels(names: Sequence[str]) -> tuple[str, ...]:
    """The members' names, numbered where two are equal. Raises ConfigError for fewer than two members."""
    if len(names) < 2:
        raise ConfigError(f"expected an ensemble of at least two members, got {len(names)}")
    return tuple(name if names.count(name) == 1 else f"{name}-{i}" for i, name in enumerate(names))


def _as_many(name: str, scores: list[_Said], jobs: Sequence[object]) -> list[_Said]:
    if len(scores) != len(jobs):
        raise VerifierContractError(f"expected {len(jobs)} scores of {name}, got {len(scores)}")
    return scores


def _failures(labels: Sequence[str], scores: Sequence[Score]) -> str:
    failed = [(label, score) for label, score in zip(labels, scores, strict=True) if score.value is None]
    return "; ".join(f"{label}: {score.reason or 'no score'}" for label, score in failed)


def _version(members: Iterable[Scorer] | Iterable[StepScorer], combine: str, k: float) -> str:
    return fingerprint([[member.name, member.version] for member in members], combine, k)
