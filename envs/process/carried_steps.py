"""The symbolic checker's word on each step, and whether the working carries the answer: for `process/gsm8k-v0`.

A working that is true line by line and does not lead from the question's numbers to the answer
(rlenv.envs.process.carried) is flagged `answer_not_carried` on the step that says the answer, which trips as the guards
do. A wrong answer need only depend on the question: that it is wrong is the outcome's word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from rlenv.core.task import Task
from rlenv.core.verdict import Flag
from rlenv.envs.process.carried import Asked, carries
from rlenv.envs.process.program import Program
from rlenv.envs.process.reading import NOT_CARRIED
from rlenv.envs.process.symbolic import MAX_CHARS, SymbolicSteps, words_of
from rlenv.envs.process.tokens import tokenize
from rlenv.scorers.scorer import Stepped, StepScores
from rlenv.text.boxes import find_boxes


@dataclass(frozen=True, kw_only=True)
class CarriedSteps:
    """A StepScorer; see the head of the file."""

    symbolic: SymbolicSteps = field(default_factory=SymbolicSteps)
    name: str = "carried_steps"
    cheap: bool = True

    @property
    def version(self) -> str:
        return f"carried-1-{self.symbolic.version}"

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        return [_flagged(job, scores) for job, scores in zip(jobs, self.symbolic.score_steps(jobs), strict=True)]


def _flagged(job: Stepped, scores: StepScores) -> StepScores:
    asked = asked_in(job.task)
    if not job.spans or asked is None or leads(asked, job.completion.text):
        return scores
    flag = Flag(NOT_CARRIED, *job.spans[-1], "the working does not lead from the question's numbers to the answer")
    return replace(scores, flags=(*scores.flags, flag))


def leads(asked: Asked, text: str) -> bool:
    """Whether the answer that a text gives is carried; a wrong answer need only depend on the question."""
    text = text[:MAX_CHARS]
    given = last_number(text)
    if given is None or given == asked.answer:
        return carries(asked, text)
    found = Program(asked.question, given).run(text).reached()
    return any(not one.is_constant for one in found)


def asked_in(task: Task) -> Asked | None:
    """None where the answer is no number."""
    answer = numeral(str(task.reference))
    if answer is None:
        return None
    question = task.metadata.get("question")
    working = task.metadata.get("working")
    return Asked(
        (question if isinstance(question, str) else words_of(task.prompt))[:MAX_CHARS],
        answer,
        working if isinstance(working, str) else "",
    )


def last_number(text: str) -> Fraction | None:
    """What stands in the last box, or behind the last `####`."""
    boxes, _ = find_boxes(text, 0, len(text))
    if boxes:
        return numeral(boxes[-1].text)
    mark = text.rfind("####")
    return None if mark < 0 else numeral(text[mark + 4 :])


def numeral(text: str) -> Fraction | None:
    """The first number of a text."""
    found = next((token for token in tokenize(text[:200]) if token.kind == "number"), None)
    if found is None:
        return None
    return -found.value if text.lstrip(" $").startswith(("-", "−")) else found.value
