"""What a scorer is: something that says how good a completion is, or how likely each of its steps is right.

A score is a number of the scorer's own scale; the score of a step is a probability. Whatever goes wrong in the
scorer (no answer of a server, a text that cannot be parsed, NaN) is a failure, never a low score.

>>> Score(1.5), Score.failure("the endpoint did not answer").value
(Score(value=1.5, labels={}, reason='', flags=()), None)
>>> ask(FunctionScorer(lambda prompt, completion: len(completion) / len(prompt)), ["Why?"], ["No."])[0].value
0.75
>>> brief = ScorerVerifier(FunctionScorer(lambda completion: -len(completion), name="brevity"))
>>> brief.verify(Task("Say hi"), Completion("hi")).parts
(Part(name='brevity', value=-2.0),)
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

from rlenv.core.completion import Completion, as_completion
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import Prompt, Task
from rlenv.core.verdict import Flag, Verdict, is_over_limit
from rlenv.core.verifier import FunctionVerifier, VerifierFunction

StepFunction: TypeAlias = "Callable[[Prompt, Sequence[str]], Sequence[float]]"
"""The probability that each step is right, from the prompt and the texts of the steps."""
Job: TypeAlias = tuple[Task, Completion]
"""What is scored: the same pair that a verifier judges."""


@dataclass(frozen=True, slots=True)
class Score:
    """What one scorer says of one completion; `value` is None where it failed."""

    value: float | None
    labels: Mapping[str, float] = field(default_factory=dict, hash=False)
    """What it said beside the value: probabilities of classes, members of an ensemble, their spread."""
    reason: str = ""
    flags: tuple[Flag, ...] = ()
    """What is worth seeing in the completion, such as why it was scored without asking."""

    def __post_init__(self) -> None:
        if self.value is not None and not math.isfinite(self.value):
            object.__setattr__(self, "reason", self.reason or f"the scorer gave {self.value!r}")
            object.__setattr__(self, "value", None)

    @classmethod
    def failure(cls, reason: str, flags: tuple[Flag, ...] = ()) -> Score:
        """No score, and why. The flag OVER_LIMIT says that the completion is to blame, and not the scorer."""
        return cls(None, reason=reason, flags=flags)


class Stepped(NamedTuple):
    """A completion with the character spans `[start, end)` of its steps, in order."""

    task: Task
    completion: Completion
    spans: tuple[tuple[int, int], ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each step."""
        return tuple(self.completion.text[start:end] for start, end in self.spans)


@dataclass(frozen=True, slots=True)
class StepScores:
    """The probability, in [0, 1], that each step is right; `values` is None where the scorer failed."""

    values: tuple[float, ...] | None
    reasons: tuple[str, ...] = ()
    """Why, one a step, where the scorer can say; or the one reason of its failure."""
    flags: tuple[Flag, ...] = ()

    def __post_init__(self) -> None:
        if self.values is not None and not all(0 <= value <= 1 for value in self.values):
            raise VerifierContractError(f"expected step scores in [0, 1], got {self.values!r:.200}")

    @classmethod
    def failure(cls, reason: str, flags: tuple[Flag, ...] = ()) -> StepScores:
        """No scores, and why; as for Score."""
        return cls(None, (reason,), flags)


@runtime_checkable
class Scorer(Protocol):
    """Scores completions, many at once. The same job always has the same score, up to rounding."""

    @property
    def name(self) -> str:
        """What parts and scores of a verdict are called after."""

    @property
    def version(self) -> str:
        """Changes when the scores may change: weights, template, settings."""

    def score(self, jobs: Sequence[Job]) -> list[Score]:
        """One score a job, in order. An exception is a failure for all of them."""


@runtime_checkable
class StepScorer(Protocol):
    """Scores the steps of completions, many at once."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        """As many values as the job has spans, job by job. An exception is a failure for all of them."""


def ask(scorer: Scorer, prompts: Sequence[Prompt], completions: Sequence[str | Completion]) -> list[Score]:
    """The scores of completions to prompts, without the ceremony of tasks."""
    pairs = zip(prompts, completions, strict=True)
    return scorer.score([(Task(prompt), as_completion(completion)) for prompt, completion in pairs])


def fingerprint(*settings: Json) -> str:
    """A version: a short name for everything that the scores depend on."""
    return hashlib.blake2b(canonical(settings).encode(), digest_size=6).hexdigest()


class FunctionScorer:
    """A function of `prompt`, `completion`, `reference`, `metadata` or any column of the row, by parameter name.

    It returns a number or a bool, or a Verdict whose reward is the score. What it raises, and NaN, is a failure of
    that one completion.
    """

    def __init__(self, function: VerifierFunction, *, name: str = "score", version: str | None = None) -> None:
        self._call = FunctionVerifier(function, name=name, version=version)
        self.name = name

    @property
    def version(self) -> str:
        return self._call.version

    def score(self, jobs: Sequence[Job]) -> list[Score]:
        return [self._one(*job) for job in jobs]

    def _one(self, task: Task, completion: Completion) -> Score:
        try:
            verdict = self._call.verify(task, completion)
        except Exception as error:  # the function is the user's code: it fails for this completion, not for the others
            return Score.failure(f"{type(error).__name__}: {error}")
        return Score(verdict.reward, verdict.scores, verdict.reason, verdict.flags)


class FunctionStepScorer:
    """A function of the prompt and the steps' texts that returns a probability a step."""

    def __init__(self, function: StepFunction, *, name: str = "steps", version: str | None = None) -> None:
        if not callable(function):
            raise ConfigError(f"expected a function of the prompt and the steps, got {type(function).__name__}")
        self.function = function
        self.name = name
        self.version = version or FunctionVerifier(cast("VerifierFunction", function)).version

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        return [self._one(job) for job in jobs]

    def _one(self, job: Stepped) -> StepScores:
        try:
            values = tuple(float(value) for value in self.function(job.task.prompt, job.texts))
            if len(values) != len(job.spans):
                return StepScores.failure(f"{self.name}: expected {len(job.spans)} scores, got {len(values)}")
            return StepScores(values)
        except Exception as error:  # as for a function of a completion
            return StepScores.failure(f"{type(error).__name__}: {error}")


@dataclass(frozen=True)
class ScorerVerifier:
    """A BatchVerifier: the scorer sees all completions at once, and bounds what each may cost."""

    scorer: Scorer
    floor: float = 0.0
    """What a completion is paid that is too long for the scorer: no more than honest ones should be."""

    @property
    def cheap(self) -> bool:
        """Never: a model is not string work, and loading it into many processes would be worse."""
        return False

    @property
    def version(self) -> str:
        return f"{self.scorer.name}:{self.scorer.version}:{self.floor:g}"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return verdict_of(self.scorer.name, scores_of(self.scorer, [(task, completion)])[0], self.floor)

    def verify_all(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Verdict]]:
        for index, score in enumerate(scores_of(self.scorer, jobs)):
            yield index, verdict_of(self.scorer.name, score, self.floor)


def scores_of(scorer: Scorer, jobs: Sequence[Job]) -> list[Score]:
    """One score a job; raises VerifierContractError for a scorer that gives more or fewer."""
    scores = scorer.score(jobs)
    if len(scores) != len(jobs):
        raise VerifierContractError(f"expected {len(jobs)} scores of {scorer.name}, got {len(scores)}")
    return scores


def verdict_of(name: str, score: Score, floor: float = 0.0) -> Verdict:
    """The score as the reward, with what else the scorer said among the raw scores; an error where it failed.

    A completion that is itself to blame for having no score is paid the floor.
    """
    if score.value is None and is_over_limit(score.flags):
        return Verdict.of((name, floor), flags=score.flags, reason=score.reason)
    if score.value is None:
        return Verdict.error(f"{name}: {score.reason or 'no score'}", score.flags)
    scores = {name: score.value, **score.labels}
    return Verdict.of((name, score.value), scores=scores, flags=score.flags, reason=score.reason)
