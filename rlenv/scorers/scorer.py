"""What a scorer is: something that says how good a completion is, or how likely each of its steps is right.

A score is a number of the scorer's own scale; the score of a step is a probability. Whatever goes wrong in the
scorer (no answer of a server, a text that cannot be parsed, NaN) is a failure, never a low score.

>>> Score(1.5), Score.failure("the endpoint did not answer").value
(Score(value=1.5, labels={}, reason='', flags=()), None)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from rlenv.core.completion import Completion, as_completion
from rlenv.core.errors import VerifierContractError
from rlenv.core.task import Prompt, Task
from rlenv.core.verdict import Flag

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
