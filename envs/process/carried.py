"""The symbolic checker's word on each step, and whether the working carries the answer: for `process/gsm8k-v0`.

>>> question = "Tom has 30 boxes of 40 eggs and sells 60. How many are left?"
>>> asked = Problem(question, Fraction(1140), "30 * 40 = 1200 eggs\\n1200 - 60 = 1140")
>>> carries(asked, "40 * 28.5 = 1140"), carries(asked, "1140 * 1 = 1140")
(False, False)
>>> carries(asked, "40 * 30 = 1200 and 1200 - 60 = 1140")
True

A working that is true line by line and does not lead from the question's numbers to the answer is flagged
`answer_not_carried` on the step that says the answer, which trips as the guards do. It leads there where the answer is
founded (rlenv.envs.process.trace) and

- it is the same function of the question's numbers as the set's own answer, or made of most of the numbers that this is
  made of, by way of at least half of the set's own intermediate results;
- or, where the set's own answer is not founded, the working comes to all that the set's own working comes to;
Where the set has no working nothing says what leads there, so no working does.

A gap that is filled with what is missing is no working, so few sums may be done in the head. A wrong answer need only
depend on the question: that it is wrong is the outcome's word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from rlenv.core.task import Task
from rlenv.core.verdict import Flag
from rlenv.envs.process.equations import chains
from rlenv.envs.process.plain import spoken
from rlenv.envs.process.reading import NOT_CARRIED
from rlenv.envs.process.symbolic import MAX_CHARS, SymbolicSteps, words_of
from rlenv.envs.process.tokens import tokenize
from rlenv.envs.process.trace import Trace
from rlenv.scorers.scorer import Stepped, StepScores
from rlenv.text.boxes import find_boxes


class Problem(NamedTuple):
    """What is asked, what the answer is, and the set's own working, where it has one."""

    question: str
    answer: Fraction
    working: str = ""

    def trace(self, working: str) -> Trace:
        """What a working founds."""
        return Trace(self.question, self.answer).run(working)


class Own(NamedTuple):
    """What the set's own working comes to."""

    moved: Fraction | None
    places: frozenset[int]
    on_the_way: frozenset[Fraction]
    results: frozenset[Fraction]
    """What its equations come to, founded or not."""
    in_the_head: int
    """So many sums may be done in the head: fewer than stay on paper, of those that the set's own working does."""


@lru_cache(maxsize=512)
def own(asked: Problem) -> Own | None:
    """None where the set has no working."""
    if not asked.working:
        return None
    trace = asked.trace(asked.working)
    found = chains(spoken(asked.working))
    source = trace.reached()
    operations = sum(max(len(side.literals) - 1 for side in chain.sides) for chain in found)
    return Own(
        source and source.moved,
        source.places if source is not None else frozenset(),
        frozenset(trace.made) - {asked.answer} - frozenset(trace.given),
        frozenset(trace.awaited),
        max(0, operations - 1) // 2,
    )


def carries(asked: Problem, working: str) -> bool:
    """Whether a working comes to the answer from the question's numbers."""
    wanted = own(asked)
    trace = asked.trace(working)
    if wanted is None:
        return False
    if not wanted.places:
        on_the_way = wanted.results - {asked.answer}
        return on_the_way <= trace.awaited if on_the_way else trace.reached() is not None
    source = trace.reached()
    if source is None or not source.places:
        return False
    if len(source.in_the_head) > wanted.in_the_head:
        return False
    if wanted.moved is not None and source.moved == wanted.moved:
        return True
    carried = sum(value in trace.made for value in wanted.on_the_way)
    most = 3 * len(source.places & wanted.places) >= 2 * len(wanted.places)
    return most and 2 * carried >= len(wanted.on_the_way) and (wanted.moved is None or bool(wanted.on_the_way))


@dataclass(frozen=True, kw_only=True)
class CarriedSteps:
    """A StepScorer; see the head of the file."""

    symbolic: SymbolicSteps = field(default_factory=SymbolicSteps)
    name: str = "carried_steps"
    cheap: bool = True

    @property
    def version(self) -> str:
        return f"carried-5-{self.symbolic.version}"

    def score_steps(self, jobs: Sequence[Stepped]) -> list[StepScores]:
        return [_flagged(job, scores) for job, scores in zip(jobs, self.symbolic.score_steps(jobs), strict=True)]


def _flagged(job: Stepped, scores: StepScores) -> StepScores:
    asked = asked_in(job.task)
    if not job.spans or asked is None or leads(asked, job.completion.text):
        return scores
    flag = Flag(NOT_CARRIED, *job.spans[-1], "the working does not lead from the question's numbers to the answer")
    return replace(scores, flags=(*scores.flags, flag))


def leads(asked: Problem, text: str) -> bool:
    """Whether the answer that a text gives is carried; a wrong answer need only depend on the question."""
    text = text[:MAX_CHARS]
    given, text = last_number(text), with_answer_apart(text)
    if given is None or given == asked.answer:
        return carries(asked, text)
    source = asked._replace(answer=given).trace(text).reached()
    return source is not None and bool(source.places)


def asked_in(task: Task) -> Problem | None:
    """None where the answer is no number."""
    answer = numeral(str(task.reference))
    if answer is None:
        return None
    question, working = task.metadata.get("question"), task.metadata.get("working")
    return Problem(
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


def with_answer_apart(text: str) -> str:
    """The text with its last box in a line of its own, unless an equation ends in it: what is said of the answer is no
    step towards it."""
    boxes, _ = find_boxes(text, 0, len(text))
    if not boxes or text[: boxes[-1].start].rstrip(" $\\([").endswith(("=", "≈")):
        return text
    return f"{text[: boxes[-1].start]}\n{text[boxes[-1].start :]}"


def numeral(text: str) -> Fraction | None:
    """The first number of a text."""
    found = next((token for token in tokenize(text[:200]) if token.kind == "number"), None)
    if found is None:
        return None
    return -found.value if text.lstrip(" $").startswith(("-", "−")) else found.value
