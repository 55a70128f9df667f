r"""A checker of steps that needs no model: arithmetic exactly, and where the numbers come from.

>>> from rlenv.scorers.scorer import Stepped
>>> from rlenv import Completion, Task
>>> text = "3 * 4 = 12 eggs\n12 - 5 = 8 eggs"
>>> task = Task("Tom has 3 boxes of 4 eggs and eats 5. How many are left?")
>>> job = Stepped(task, Completion(text), ((0, 15), (16, 31)))
>>> [scores] = SymbolicSteps().score_steps([job])
>>> scores.values, scores.reasons[1]
((1.0, 0.0), '12 - 5 is 7, not 8 eggs')

A step starts at 1.0 and has the value of the worst that is found in it (see FINDINGS). What cannot be read is not
held against a step: the checker never says that a step is right, only that nothing is wrong that it can see.
The time is bounded: a step has at most MAX_CHARS characters, and no number grows beyond what `linear` allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from rlenv.core.task import Prompt
from rlenv.envs.process.equations import Chain, chains
from rlenv.envs.process.holding import compare
from rlenv.envs.process.trace import Trace
from rlenv.scorers.scorer import Stepped, StepScores

MAX_CHARS = 10_000
NO_ANSWER = Fraction(1, 3 * 10**9)
"""Stands for an answer that is not known."""
FINDINGS = {
    "too long": 0.0,
    "equation": 0.0,
    "stranger": 0.2,
}
"""What each kind of finding leaves of a step's value."""


class Finding(NamedTuple):
    """One thing that is wrong with a step, and why."""

    kind: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class SymbolicSteps:
    """A StepScorer; see the head of the file."""

    provenance: bool = True
    """Ask where numbers come from. For word problems; elsewhere too many are brought in by what people know."""
    name: str = "symbolic_steps"
    cheap: bool = True

    @property
    def version(self) -> str:
        return f"symbolic-steps-4-{self.provenance:d}"

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        return [self._scores(job) for job in jobs]

    def findings(self, question: str, steps: Sequence[str]) -> list[list[Finding]]:
        """What is wrong with each step, as far as can be seen."""
        working = _Working(question)
        return [self._of_step(working, step) for step in steps]

    def _scores(self, job: Stepped) -> StepScores:
        found = self.findings(words_of(job.task.prompt), job.texts)
        values = tuple(min((FINDINGS[finding.kind] for finding in step), default=1.0) for step in found)
        return StepScores(values, tuple("; ".join(finding.reason for finding in step)[:400] for step in found))

    def _of_step(self, working: _Working, step: str) -> list[Finding]:
        if len(step) > MAX_CHARS:
            return [Finding("too long", f"a step of more than {MAX_CHARS} characters is not checked")]
        return [finding for finding in working.check(step) if self.provenance or finding.kind != "stranger"]


class _Working:
    """What is known after some steps of one solution."""

    def __init__(self, question: str) -> None:
        self.trace = Trace(question[:MAX_CHARS], NO_ANSWER)
        self.rounded: set[Fraction] = set()

    def check(self, step: str) -> Iterator[Finding]:
        """The findings of the next step, which is then taken as read."""
        strangers, found = self.trace.strangers(step), chains(step)
        for chain in found:
            yield from self._equations(chain)
        for stranger in strangers[:3]:
            yield Finding("stranger", f"{_said(stranger.value)} {stranger.unit} comes from nowhere")

    def _equations(self, chain: Chain) -> Iterator[Finding]:
        for at, (left, right) in enumerate(pairwise(chain.sides), start=1):
            comparison = compare(left, right, chain.relations[at], self.rounded)
            if comparison.verdict == "wrong" and comparison.expected is not None:
                yield Finding("equation", f"{left.text} is {_said(comparison.expected)}, not {right.text}")
            value = right.number() if right.is_lone else None
            if comparison.verdict == "rounded" and value is not None:
                self.rounded.add(value)


def _said(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value) if value.numerator.bit_length() < 200 else "a long number"
    return (
        f"{float(value):.6g}" if value.denominator.bit_length() < 900 > value.numerator.bit_length() else "a fraction"
    )


def words_of(prompt: Prompt) -> str:
    """The question: a prompt as it is, or what the user says in a chat."""
    if isinstance(prompt, str):
        return prompt
    return "\n".join(str(message["content"]) for message in prompt if message["role"] == "user")
