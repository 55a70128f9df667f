r"""Judges a completion by its answer and by its steps: the outcome's reward, minus what the steps lack.

    reward = outcome + weight * (aggregate of the step scores - 1)

The second term is never above 0, so nothing above 0 can be had without the right answer, and with a weight of at most 1
a right answer never earns less than a wrong one. It lies on the steps that earned it (rlenv.envs.process.credit), the
outcome on the end of the text. A completion without steps that can be checked, and one that trips a guard, has the
aggregate 0: the steps before the trip keep their shares, and the step that trips has the rest, so that what comes after
a mistake does not take the blame off it. What a scorer cannot say is a failure of the checker.

The steps are read from the content, or, where the environment says so (`steps_in="reasoning"`), from the reasoning; a
scorer is shown that passage alone. The outcome is judged from the content either way.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias, get_args

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.reading import Passage
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Part, StepReward, Verdict, is_over_limit
from rlenv.core.verifier import Verifier
from rlenv.env.tasksets import ListTasks
from rlenv.envs.process.credit import CREDITS, Credit, aggregate, in_grains, shares
from rlenv.envs.process.reading import NOT_CARRIED, StepReader, StepReading
from rlenv.envs.process.steps import Span
from rlenv.judge.judge import Judge
from rlenv.scorers.scorer import Job, Stepped, StepScorer, StepScores

StepsIn: TypeAlias = Literal["content", "reasoning"]
PROCESS = "process"
"""The name of the part that the steps earn, and of their aggregate among the scores."""


@dataclass(frozen=True, kw_only=True)
class CreditRule:
    """How step scores become the process part."""

    credit: Credit = "min"
    weight: float = 0.5
    """What a completion with the worst steps loses; 0 leaves the outcome alone, on its own."""

    def __post_init__(self) -> None:
        if self.credit not in CREDITS:
            raise ConfigError(f"expected a credit out of {', '.join(CREDITS)}, got {self.credit!r}")
        if not 0 <= self.weight <= 1:
            raise ConfigError(f"expected a process weight in [0, 1], got {self.weight!r}")


@dataclass(frozen=True, kw_only=True)
class ProcessVerifier:
    """The outcome's verdicts, and those of the steps beside them.

    With a scorer that is string work it runs in a worker, or in its caller's process if outcome and scorer are bounded.
    """

    outcome: Verifier
    scorer: StepScorer
    reader: StepReader
    rule: CreditRule = CreditRule()
    steps_in: StepsIn = "content"
    """Which part of a completion the steps are read from."""

    def __post_init__(self) -> None:
        if self.steps_in not in get_args(StepsIn):
            raise ConfigError(f"expected steps_in out of {', '.join(get_args(StepsIn))}, got {self.steps_in!r}")

    @property
    def cheap(self) -> bool:
        return self.outcome.cheap and getattr(self.scorer, "bounded", False) is True

    @cached_property
    def version(self) -> str:
        rule, scorer = self.rule, self.scorer
        return (
            f"process-2-{rule.credit}-{rule.weight:g}({self.outcome.version},{self.reader.version},"
            f"{scorer.name}:{scorer.version}){'-reasoning' if self.steps_in == 'reasoning' else ''}"
        )

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return self.beside_its_steps(task, completion, self.outcome.verify(task, completion))

    def beside_its_steps(self, task: Task, completion: Completion, verdict: Verdict) -> Verdict:
        """The verdict of the outcome with that of the steps."""
        ((_, found),) = self.with_steps([(task, completion, verdict)])
        return found

    def with_steps(self, judged: Sequence[tuple[Task, Completion, Verdict]]) -> Iterator[tuple[int, Verdict]]:
        """The verdicts of the outcome with those of the steps, those first that need no scores.

        The scorer is asked once for all others: what it raises leaves only them without a verdict.
        """
        readings = [self.reader.read(self._worked(completion).text) for _, completion, _ in judged]
        asked = [i for i, (_, _, verdict) in enumerate(judged) if verdict.graded and before_the_trip(readings[i])]
        for i in sorted(set(range(len(judged))) - set(asked)):
            yield i, self._verdict(*judged[i][1:], readings[i], StepScores(()))
        jobs = [Stepped(judged[i][0], self._shown(judged[i][1]), before_the_trip(readings[i])) for i in asked]
        for i, scores in zip(asked, scores_of(self.scorer, jobs), strict=True):
            yield i, self._verdict(*judged[i][1:], readings[i], scores)

    def _worked(self, completion: Completion) -> Passage:
        """The passage that holds the steps."""
        return completion.content if self.steps_in == "content" else completion.reasoning

    def _shown(self, completion: Completion) -> Completion:
        """That passage as a completion of its own, whose text the spans of the steps are of."""
        if self.steps_in == "content":
            return completion.said()
        return Completion(completion.reasoning.text, finished=completion.finished, read_as="text")

    def _verdict(self, completion: Completion, outcome: Verdict, reading: StepReading, scores: StepScores) -> Verdict:
        if outcome.reward is None:
            return outcome
        if scores.values is None and is_over_limit(scores.flags):
            reading, scores = StepReading((), scores.flags), replace(scores, values=())
        reading, scores = tripped_by_scores(reading, scores)
        if scores.values is None:
            return Verdict.error(f"{self.scorer.name}: {'; '.join(scores.reasons) or 'no scores'}", outcome.flags)
        worked, end = self._worked(completion), len(completion.text)
        level, steps = self._earned(reading, scores.values, len(worked.text))
        earned = [StepReward(value, *worked.place(start, stop)) for value, start, stop in steps]
        process = math.fsum(step.value for step in earned)
        parts = (*(outcome.parts or (Part("outcome", outcome.reward),)), Part(PROCESS, process))
        return replace(
            outcome,
            reward=math.fsum(part.value for part in parts),
            parts=parts,
            step_rewards=(*earned, StepReward(outcome.reward, end, end)),
            scores={**outcome.scores, PROCESS: level, f"{PROCESS}/steps": float(len(reading.spans))},
            flags=(*outcome.flags, *_placed(reading.flags, worked)),
            reason="; ".join(filter(None, (outcome.reason, _why(scores, reading)))),
        )

    def _earned(self, reading: StepReading, scores: tuple[float, ...], end: int) -> tuple[float, list[StepReward]]:
        """The aggregate, and what each step earns. A step that trips has the score 0, and what is left to lose."""
        spans = [*before_the_trip(reading)]
        lost = reading.tripped if scores else reading.tripped or (end, end)
        if lost is not None:
            spans, scores = [*spans, lost], (*scores, 0.0)
        earned = shares(self.rule.credit, scores, self.rule.weight)
        level = aggregate(self.rule.credit, scores)
        if lost is not None:
            level = 0.0
            earned = (*earned[:-1], in_grains(-self.rule.weight) - math.fsum(earned[:-1]))
        return level, [
            StepReward(value, *span)
            for value, span in zip(earned, until_the_next(spans, reading.spans, end), strict=True)
        ]


class BatchProcessVerifier(ProcessVerifier):
    """With a scorer that may cost, such as a model: asked for all completions at once, in the caller's process."""

    @property
    def cheap(self) -> bool:
        return False

    def verify_all(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Verdict]]:
        """The outcome is judged where its own verifier wants to be: inline, or in workers that can be killed."""
        if not jobs:
            return
        grader = Judge(Definition(tasks=ListTasks([jobs[0][0]]), verifier=self.outcome))
        verdicts = grader.verdicts(jobs)
        judged = [(task, completion, verdict) for (task, completion), verdict in zip(jobs, verdicts, strict=True)]
        yield from self.with_steps(judged)


def process_verifier(
    outcome: Verifier,
    scorer: StepScorer,
    reader: StepReader,
    rule: CreditRule,
    steps_in: StepsIn = "content",
) -> ProcessVerifier:
    """The kind that the scorer needs: one that is string work (so says its `cheap`) is asked completion by completion,
    any other in the caller's process, for all of them at once.
    """
    kind = ProcessVerifier if getattr(scorer, "cheap", False) is True else BatchProcessVerifier
    return kind(outcome=outcome, scorer=scorer, reader=reader, rule=rule, steps_in=steps_in)


def scores_of(scorer: StepScorer, jobs: Sequence[Stepped]) -> list[StepScores]:
    """One a job. Raises VerifierContractError for a scorer that gives more or fewer, of jobs or of steps."""
    found = scorer.score_steps(jobs) if jobs else []
    if len(found) != len(jobs):
        raise VerifierContractError(f"expected the scores of {len(jobs)} completions, got {len(found)}")
    for job, scores in zip(jobs, found, strict=True):
        if scores.values is not None and len(scores.values) != len(job.spans):
            raise VerifierContractError(f"expected {len(job.spans)} step scores, got {len(scores.values)}")
    return found


def tripped_by_scores(reading: StepReading, scores: StepScores) -> tuple[StepReading, StepScores]:
    """The reading and the scores where the scorer flags that the working does not carry the answer."""
    trips = [flag for flag in scores.flags if flag.name == NOT_CARRIED]
    if not trips or not scores.values or reading.tripped is not None:
        return reading, scores
    tripped = reading._replace(flags=(*trips, *reading.flags), tripped=reading.spans[-1])
    return tripped, replace(scores, values=scores.values[:-1], reasons=scores.reasons[:-1])


def before_the_trip(reading: StepReading) -> tuple[Span, ...]:
    """The steps that are scored: all, or those before the one that tripped a guard."""
    if reading.tripped is None:
        return reading.spans
    start = reading.tripped[0]
    return tuple(span for span in reading.spans if span[1] <= start)


def until_the_next(spans: Sequence[Span], steps: Sequence[Span], end: int) -> list[Span]:
    """The spans, each up to where the next step begins, or to the end of the text.

    Where a step ends is a choice of its own, made by the separator: a reward on the token before that choice would
    leave a policy that ends its steps too early without any blame.
    """
    starts = [start for start, _ in steps]
    places = (bisect_left(starts, stop) for _, stop in spans)
    return [
        (start, max(stop, starts[place] if place < len(starts) else end))
        for (start, stop), place in zip(spans, places, strict=True)
    ]


def _placed(flags: Sequence[Flag], passage: Passage) -> Iterator[Flag]:
    for name, start, end, detail in flags:
        yield Flag(name, *passage.place(start, end), detail)


def _why(scores: StepScores, reading: StepReading) -> str:
    """What a person should read of the steps: the guard that tripped, or the worst step."""
    if reading.tripped is not None:
        return f"{reading.flags[0].name}: {reading.flags[0].detail}"
    values = scores.values
    if not values:
        return "no steps"
    worst = min(range(len(values)), key=values.__getitem__)
    if values[worst] == 1:
        return ""
    why = scores.reasons[worst] if len(scores.reasons) == len(values) else ""
    return f"step {worst + 1} of {len(values)}: {why or f'score {values[worst]:.3f}'}"
