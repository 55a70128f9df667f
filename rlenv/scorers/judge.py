"""A model as judge (RLAIF): an OpenAI-compatible endpoint grades each completion by a rubric.

    {"kind": "judge", "url": "http://localhost:8000/v1", "model": "Qwen/Qwen2.5-7B-Instruct",
     "criteria": {"correct": "Is the result right?", "clear": "Can a pupil follow it?"}, "cache": "judge.sqlite"}

The score is on [0, 1]; the labels hold each criterion on the rubric's own scale. What the answer could do to the judge
is met before, in and after the request: answers without substance score 0 without it (substance.py), data is cleaned
and stands between lines that only this request has (cleaning.py, rubric.py), and only one verdict with the mark of the
request, at the end, counts (judgement.py). Anything else is a failure of that completion, never a low score, unless
the answer wrote a verdict of its own: then it scores 0. A judge can still be talked into a good score; the wrappers
JudgeManipulation and Ensemble, and a gold check, are for that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Flag
from rlenv.scorers.asking import GREEDY, Answer, Asking, Question, asking
from rlenv.scorers.judgement import read, writes_verdict
from rlenv.scorers.rubric import DEFAULT_CRITERIA, Rubric, request
from rlenv.scorers.scorer import Job, Score
from rlenv.scorers.settings import fingerprint
from rlenv.scorers.substance import reject, shown

MAX_CHARS = 20_000
SELF_GRADED = "self_graded"
"""Flags an answer that wrote a verdict of its own, where that left none of the judge's: it scores 0."""


@dataclass(frozen=True)
class JudgeScorer:
    """Grades by a rubric. Equal questions are asked once."""

    asking: Asking
    rubric: Rubric = field(default_factory=Rubric)
    max_chars: int = MAX_CHARS
    """A longer answer scores 0 and is flagged: what a judge sees only in part it cannot judge."""
    name: str = "judge"

    def __post_init__(self) -> None:
        if self.name in self.rubric.criteria:
            raise ConfigError(f"expected another name than that of a criterion, got {self.name!r}")

    @property
    def version(self) -> str:
        return fingerprint(self.asking.version, self.rubric.version, self.max_chars)

    def score(self, jobs: Sequence[Job]) -> list[Score]:
        """One score a job. Raises ConfigError where the cache cannot be used."""
        flags = [reject(task, completion, self.max_chars) for task, completion in jobs]
        scores = {i: Score(0.0, reason=flag.detail, flags=(flag,)) for i, flag in enumerate(flags) if flag is not None}
        questions = {i: self._question(job) for i, job in enumerate(jobs) if i not in scores}
        answers = self.asking.ask_all(list(questions.values()), self._readable)
        for (place, question), answer in zip(questions.items(), answers, strict=True):
            scores[place] = self._scored(question, answer)
        return [scores[place] for place in range(len(jobs))]

    def _question(self, job: Job) -> Question:
        mark, messages = request(self.rubric, *job)
        return Question(mark, messages, shown(job[1]))

    def _scored(self, question: Question, answer: Answer) -> Score:
        if isinstance(answer, PolicyError):
            return Score.failure(str(answer))
        try:
            given = self._read(question, answer)
        except ValueError as error:
            if self._grades_itself(question):
                detail = f"the answer holds a verdict of its own, and the judge gave {error}"
                return Score(0.0, reason=detail, flags=(Flag(SELF_GRADED, 0, len(question.judged), detail),))
            return Score.failure(f"the judge gave {error}: {' '.join(answer.split())[-200:]}")
        return Score(self.rubric.value(given), given)

    def _read(self, question: Question, answer: str) -> dict[str, float]:
        return read(answer, question.mark, tuple(self.rubric.criteria), self.rubric.scale, question.judged)

    def _readable(self, question: Question, answer: str) -> bool:
        try:
            self._read(question, answer)
        except ValueError:
            return self._grades_itself(question)
        return True

    def _grades_itself(self, question: Question) -> bool:
        """Where the answer wrote a verdict, a judgement that cannot be read is the answer's doing."""
        return writes_verdict(question.judged, tuple(self.rubric.criteria))


def judge_scorer(
    url: str,
    model: str,
    criteria: Mapping[str, str] | None = None,
    scale: Sequence[float] = (1.0, 5.0),
    weights: Mapping[str, float] | None = None,
    instructions: str = "",
    use_reference: bool = True,
    cache: str | None = None,
    max_tokens: int = GREEDY.max_new_tokens,
    max_chars: int = MAX_CHARS,
    endpoint: Mapping[str, Json] | None = None,
    name: str = "judge",
) -> JudgeScorer:
    """A judge from settings that JSON can hold: those of `asking` and of the rubric."""
    rubric = Rubric(
        criteria=DEFAULT_CRITERIA if criteria is None else criteria,
        scale=tuple(scale),
        weights=weights or {},
        use_reference=use_reference,
        instructions=instructions,
    )
    return JudgeScorer(asking(url, model, cache, max_tokens, endpoint), rubric, max_chars, name)
