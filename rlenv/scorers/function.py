"""Functions as scorers: a program that knows the gold reward, a heuristic, a model with an interface of its own.

>>> from rlenv.scorers.scorer import ask
>>> ask(FunctionScorer(lambda prompt, completion: len(completion) / len(prompt)), ["Why?"], ["No."])[0].value
0.75
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.task import Prompt, Task
from rlenv.core.verifier import FunctionVerifier, VerifierFunction
from rlenv.scorers.scorer import Job, Score, Stepped, StepScores

StepFunction: TypeAlias = "Callable[[Prompt, Sequence[str]], Sequence[float]]"
"""The probability that each step is right, from the prompt and the texts of the steps."""


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
        return [self._one(task, completion) for task, completion in jobs]

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
        self.version = version or _version(function)

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


def _version(function: StepFunction) -> str:
    """As that of a verifier function: a fingerprint of its code."""
    return FunctionVerifier(cast("VerifierFunction", function)).version
