"""The verifier of every dataset: the answer in its tags, paid where the package's own scorer gives its full mark.

>>> from rlenv.core.completion import Completion
>>> ScorerVerifier("gcd").verify(Task("", "12"), Completion("<answer>12</answer>")).reward
1.0
>>> ScorerVerifier("gcd").verify(Task("", "12"), Completion("<answer>12 or 13</answer>")).reason
"answer: got '12 or 13', expected '12'"
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, MissingExtra, TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, prompt_text
from rlenv.core.verdict import Flag, Verdict
from rlenv.envs.reasoning_gym.answer_tags import read
from rlenv.envs.reasoning_gym.datasets import scorer

ROOM = 20_000
"""An answer may be this much longer than twice the reference; longer ones are wrong without being read."""
FULL = 1.0
TUPLES = {"output"}
"""Metadata that the scorers of arc_agi and rearc compare with tuples; in a task it stands as JSON."""


@dataclass(frozen=True)
class ScorerVerifier:
    """`score_answer` of a dataset: 1 for its full mark, 0 for every share below."""

    name: str
    config: str = "{}"
    """The settings of the dataset as canonical JSON: some scorers read them."""
    cheap: bool = True

    def __setstate__(self, state: Mapping[str, object]) -> None:
        """In a worker the package is loaded as the verifier comes, and not in the time of its first completion."""
        for name, value in state.items():
            object.__setattr__(self, name, value)
        with suppress(ConfigError, MissingExtra):  # the first verdict says so
            scorer(self.name, self.config)

    @property
    def version(self) -> str:
        return f"reasoning_gym-{self.name}-{version('reasoning_gym')}"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        content = completion.content
        found = read(content.text)
        if isinstance(found, Flag):
            return Verdict.of(("correct", 0.0), flags=(found,), reason=found.detail).placed(content)
        reason = self._problem(found.text, task)
        place = content.place(found.start, found.end)
        return Verdict.of(("correct", 0.0 if reason else 1.0), reason=reason, answer=place)

    def _problem(self, answer: str, task: Task) -> str:
        """Why the answer is not right; empty for one that is."""
        reference = str(task.reference)
        if len(answer) > ROOM + 2 * len(reference):
            return f"an answer of {len(answer)} characters is too long"
        try:
            right = self._score(answer, task) == FULL
        except Exception as error:
            self._check_task(reference, task)
            return f"the scorer fails on {answer[:40]!r}: {type(error).__name__}"
        return "" if right else f"answer: got {answer[:40]!r}, expected {reference[:40]!r}"

    def _score(self, answer: str, task: Task) -> float:
        metadata = {key: _tuples(value) if key in TUPLES else value for key, value in task.metadata.items()}
        entry = {"question": prompt_text(task.prompt), "answer": task.reference, "metadata": copy.deepcopy(metadata)}
        return float(scorer(self.name, self.config).score_answer(answer, entry))

    def _check_task(self, reference: str, task: Task) -> None:
        """Raise TaskError where the scorer fails on the reference as well: then the answer is not what it fails on."""
        try:
            self._score(reference, task)
        except Exception as error:
            raise TaskError(f"task {task.id}: the scorer of {self.name} fails on the reference: {error!r}") from error


def _tuples(value: Json) -> object:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
