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
The time is bounded: a step has at most MAX_CHARS characters, no number grows beyond what `linear` allows, and where a
budget is set (rlenv.envs.process.effort) the work is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from rlenv.core.task import Prompt
from rlenv.envs.process.claims import wrong_claims
from rlenv.envs.process.effort import spend
from rlenv.envs.process.equations import Chain, chains
from rlenv.envs.process.holding import compare
from rlenv.envs.process.linear import System, TooLarge, number, scaled, sum_of
from rlenv.envs.process.misread import Given
from rlenv.envs.process.provenance import Known
from rlenv.envs.process.sides import Side
from rlenv.scorers.scorer import Stepped, StepScores

MAX_CHARS = 10_000
FINDINGS = {
    "too long": 0.0,
    "equation": 0.0,
    "contradiction": 0.1,
    "restated": 0.1,
    "stranger": 0.2,
    "misread": 0.2,
    "negative": 0.6,
}
"""What each kind of finding leaves of a step's value."""
_OF_PROVENANCE = frozenset({"stranger", "misread"})
STEP = 200
"""Units of work to look at a step, beside its numbers: at the words of FINDINGS, and for common knowledge."""
SUSPECT = 0.5
"""A step below this is taken for wrong."""


_AMOUNTS = frozenset({"total", "sum", "cost", "amount", "number", "price", "value", "age", "profit", "revenue", "time"})
_CHANGING = frozenset(
    {"new", "current", "now", "after", "then", "next", "remaining", "left", "running", "updated", "daily"}
)
"""A name with one of the first and none of the second is of one amount throughout a step."""


_SUPPOSED = re.compile(
    r"\b(?:cases?|if|suppose|try|trying|when|plug\w*|check\w*|verif\w+|test\w*|options?|either|or|possib\w+|guess\w*"
    r"|for example|choose|choosing|solutions|minimum|maximum|contradiction)\b",
    re.IGNORECASE,
)
"""Where unknowns are tried out, an equation holds for a case alone."""


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
        return f"symbolic-steps-1-0{self.provenance:d}"

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
        return [finding for finding in working.check(step) if self.provenance or finding.kind not in _OF_PROVENANCE]


class _Working:
    """What is known after some steps of one solution."""

    def __init__(self, question: str) -> None:
        self.known = Known(question[:MAX_CHARS])
        self.rounded: set[Fraction] = set()
        self.system = System()
        self.given = Given(question[:MAX_CHARS])
        self.worked_out: set[Fraction] = set()

    def check(self, step: str) -> Iterator[Finding]:
        """The findings of the next step, which is then taken as read."""
        spend(STEP + len(step))
        strangers, found = self.known.strangers(step), chains(step)
        misread = self.given.other_rates(step, self.worked_out)
        is_supposed = _SUPPOSED.search(step) is not None
        for chain in found:
            yield from self._equations(chain)
            yield from () if is_supposed else self._unknowns(chain)
            yield from self._sign(chain)
        yield from _restated(found)
        yield from (Finding("equation", reason) for reason in wrong_claims(step)[:2])
        misread += self.given.other_measures(step, self.worked_out)
        yield from (Finding("misread", reason) for reason in misread[:2])
        for stranger in strangers[:3]:
            yield Finding("stranger", f"{_said(stranger.value)} {stranger.unit} comes from nowhere")
        self.known.learn(step)

    def _equations(self, chain: Chain) -> Iterator[Finding]:
        for at, (left, right) in enumerate(pairwise(chain.sides), start=1):
            comparison = compare(left, right, chain.relations[at], self.rounded)
            if comparison.verdict == "wrong" and at + 1 < len(chain.sides) and _goes_on(comparison.expected, right):
                continue
            if comparison.verdict == "wrong" and comparison.expected is not None:
                yield Finding("equation", f"{left.text} is {_said(comparison.expected)}, not {right.text}")
            value = right.number() if right.is_lone else None
            if value is not None:
                self.worked_out.add(value)
            if comparison.verdict == "rounded" and value is not None:
                self.rounded.add(value)

    def _unknowns(self, chain: Chain) -> Iterator[Finding]:
        for left, right in zip(chain.sides, chain.sides[1:], strict=False):
            one, other = left.value(), right.value()
            if one is None or other is None or "≈" in chain.relations:
                continue
            if number(one) is not None and number(other) is not None:
                continue
            try:
                fits = self.system.add(sum_of(one, scaled(other, Fraction(-1))))
            except TooLarge:
                continue
            if not fits:
                yield Finding("contradiction", f"{left.text} = {right.text} contradicts what was said before")

    def _sign(self, chain: Chain) -> Iterator[Finding]:
        last = chain.sides[-1]
        value = last.number() if last.is_lone and len(chain.sides) > 1 else None
        if value is not None and value < 0 and not any(side.has_unknown for side in chain.sides):
            yield Finding("negative", f"{last.text} is less than nothing")


def _goes_on(value: Fraction | None, right: Side) -> bool:
    """The running style of `7 * 60 = 420 + 23 = 443`: the result, and at once what is added to it."""
    first = right.tokens[0]
    return first.kind == "number" and first.value == value and any(token.text in ("+", "-") for token in right.tokens)


def _restated(found: Sequence[Chain]) -> Iterator[Finding]:
    """A quantity that one step names twice, with two values."""
    values: dict[str, Fraction] = {}
    for chain in found:
        words = chain.name.split()
        value = chain.sides[-1].number()
        if value is None or len(words) < 2 or _AMOUNTS.isdisjoint(words) or not _CHANGING.isdisjoint(words):
            continue
        before = values.setdefault(chain.name, value)
        if abs(before - value) * 50 > abs(before):
            yield Finding("restated", f"{chain.name} is {_said(before)} and then {_said(value)}")


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
