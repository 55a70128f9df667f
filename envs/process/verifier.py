r"""Judges a completion by its answer and by its steps: the outcome's reward, minus what the steps lack.

    reward = outcome + weight * (aggregate of the step scores - 1)

The second term is never above 0, so nothing above 0 can be had without the right answer, and with a weight of at most 1
a right answer never earns less than a wrong one. It lies on the steps that earned it (rlenv.envs.process.credit), the
outcome on the end of the text. A completion without steps that can be checked, and one that trips a guard, has the
aggregate 0. What a scorer cannot say is a failure of the checker.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rlenv.completion import Completion
from rlenv.definition import Definition
from rlenv.envs.process.credit import CREDITS, SAFE, Credit, aggregate, shares
from rlenv.envs.process.reading import Reading, StepReader
from rlenv.errors import ConfigError, VerifierContractError
from rlenv.grading import Grader
from rlenv.scorers.scorer import Job, Stepped, StepScorer, StepScores
from rlenv.task import Task
from rlenv.tasksets import ListTasks
from rlenv.verdict import Part, StepReward, Verdict
from rlenv.verifier import Verifier, decided_cheaply

PROCESS = "process"
"""The name of the part that the steps earn, and of their aggregate among the scores."""
MAX_INLINE_CHARS = 20_000
"""The steps of a longer completion are checked where it can be interrupted, if the outcome's verifier asks for that."""


@dataclass(frozen=True, kw_only=True)
class CreditRule:
    """How step scores become the process part."""

    credit: Credit = "min"
    weight: float = 0.5
    """What a completion with the worst steps loses; 0 leaves the outcome alone, on its own."""
    unsafe: str = ""
    """Why a form is asked for that pays for every step."""

    def __post_init__(self) -> None:
        if self.credit not in CREDITS:
            raise ConfigError(f"expected a credit out of {', '.join(CREDITS)}, got {self.credit!r}")
        if not 0 <= self.weight <= 1:
            raise ConfigError(f"expected a process weight in [0, 1], got {self.weight!r}")
        if self.credit == "sum" and not self.unsafe:
            raise ConfigError(
                "credit 'sum' pays for every step, so a policy learns to write many and no answer; use "
                f"{', '.join(SAFE)}, or say why you want it all the same: unsafe='...'"
            )

    def shares(self, scores: Sequence[float], expected: int) -> tuple[float, ...]:
        """The share of each step."""
        return shares(self.credit, scores, expected, self.weight)


def one_step(task: Task) -> int:
    """Stands for the number of steps that a solution takes where nobody knows it."""
    return 1


@dataclass(frozen=True, kw_only=True)
class ProcessVerifier:
    """With a scorer that is cheap: a verifier with the tiers of the outcome's."""

    outcome: Verifier
    scorer: StepScorer
    reader: StepReader
    rule: CreditRule = CreditRule()
    expected: Callable[[Task], int] = one_step
    """How many steps a solution of the task takes, by which the two means divide."""

    @property
    def cheap(self) -> bool:
        return self.outcome.cheap

    @cached_property
    def version(self) -> str:
        rule, scorer = self.rule, self.scorer
        return (
            f"process-1-{rule.credit}-{rule.weight:g}({self.outcome.version},{self.reader.version},"
            f"{scorer.name}:{scorer.version})"
        )

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return self.with_steps([(task, completion, self.outcome.verify(task, completion))])[0]

    def verify_cheaply(self, task: Task, completion: Completion) -> Verdict | None:
        if not self.cheap and len(completion.text) > MAX_INLINE_CHARS:
            return None
        verdict = decided_cheaply(self.outcome, task, completion)
        return None if verdict is None else self.with_steps([(task, completion, verdict)])[0]

    def with_steps(self, judged: Sequence[tuple[Task, Completion, Verdict]]) -> list[Verdict]:
        """The verdicts of the outcome with those of the steps; the scorer is asked once for all of them."""
        readings = [self.reader.read(completion.text) for _, completion, _ in judged]
        asked = [
            i
            for i, (reading, (_, _, verdict)) in enumerate(zip(readings, judged, strict=True))
            if verdict.graded and reading.tripped is None and reading.spans
        ]
        jobs = [Stepped(judged[i][0], judged[i][1], readings[i].spans) for i in asked]
        scores = dict(zip(asked, scores_of(self.scorer, jobs), strict=True))
        return [
            self._verdict(task, completion, verdict, readings[i], scores.get(i))
            for i, (task, completion, verdict) in enumerate(judged)
        ]

    def _verdict(
        self, task: Task, completion: Completion, outcome: Verdict, reading: Reading, scores: StepScores | None
    ) -> Verdict:
        if outcome.reward is None:
            return outcome
        if scores is not None and scores.values is None:
            return Verdict.error(f"{self.scorer.name}: {'; '.join(scores.reasons) or 'no scores'}", outcome.flags)
        found = () if scores is None or scores.values is None else scores.values
        level = aggregate(self.rule.credit, found, self.expected(task))
        spans, earned = self._earned(reading, found, self.expected(task), len(completion.text))
        process = math.fsum(earned)
        parts = (*(outcome.parts or (Part("outcome", outcome.reward),)), Part(PROCESS, process))
        steps = [StepReward(value, *span) for value, span in zip(earned, spans, strict=True)]
        return replace(
            outcome,
            reward=math.fsum(part.value for part in parts),
            parts=parts,
            step_rewards=(*steps, StepReward(outcome.reward, len(completion.text), len(completion.text))),
            scores={**outcome.scores, PROCESS: level, f"{PROCESS}/steps": float(len(reading.spans))},
            flags=(*outcome.flags, *reading.flags),
            reason="; ".join(filter(None, (outcome.reason, _worst(found, scores, reading)))),
        )

    def _earned(
        self, reading: Reading, scores: tuple[float, ...], expected: int, end: int
    ) -> tuple[Sequence[tuple[int, int]], tuple[float, ...]]:
        """The spans that earn something for the steps, and what."""
        if scores:
            return reading.spans, self.rule.shares(scores, expected)
        lowest = 0.0 if self.rule.credit == "sum" else -self.rule.weight
        return [reading.tripped or (end, end)], (lowest,)


class BatchProcessVerifier(ProcessVerifier):
    """With a scorer that may cost, such as a model: asked for all completions at once, in the caller's process."""

    @property
    def cheap(self) -> bool:
        return False

    def verify_all(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Verdict]]:
        """The outcome is judged where its own verifier wants to be: inline, or in workers that can be killed."""
        grader = Grader(Definition(tasks=ListTasks([]), verifier=self.outcome))
        verdicts = grader.judge_all(jobs)
        judged = [(task, completion, verdict) for (task, completion), verdict in zip(jobs, verdicts, strict=True)]
        yield from enumerate(self.with_steps(judged))


def process_verifier(
    outcome: Verifier,
    scorer: StepScorer,
    reader: StepReader,
    rule: CreditRule,
    expected: Callable[[Task], int] = one_step,
    cheap: bool = False,
) -> ProcessVerifier:
    """The kind that the scorer needs: one that is string work (`cheap`, or so says the scorer) runs where the outcome's
    verifier does, any other in the caller's process, for all completions at once.
    """
    string_work = cheap or getattr(scorer, "cheap", False) is True
    kind = ProcessVerifier if string_work else BatchProcessVerifier
    return kind(outcome=outcome, scorer=scorer, reader=reader, rule=rule, expected=expected)


def scores_of(scorer: StepScorer, jobs: Sequence[Stepped]) -> list[StepScores]:
    """One a job. Raises VerifierContractError for a scorer that gives more or fewer, of jobs or of steps."""
    found = scorer.score_steps(jobs) if jobs else []
    if len(found) != len(jobs):
        raise VerifierContractError(f"expected the scores of {len(jobs)} completions, got {len(found)}")
    for job, scores in zip(jobs, found, strict=True):
        if scores.values is not None and len(scores.values) != len(job.spans):
            raise VerifierContractError(f"expected {len(job.spans)} step scores, got {len(scores.values)}")
    return found


def _worst(values: tuple[float, ...], scores: StepScores | None, reading: Reading) -> str:
    """What a person should read of the steps: the guard that tripped, or the worst step."""
    if reading.tripped is not None:
        return f"{reading.flags[0].name}: {reading.flags[0].detail}"
    if not values:
        return "no steps"
    worst = min(range(len(values)), key=values.__getitem__)
    if values[worst] == 1:
        return ""
    why = scores.reasons[worst] if scores is not None and len(scores.reasons) == len(values) else ""
    return f"step {worst + 1} of {len(values)}: {why or f'score {values[worst]:.3f}'}"
