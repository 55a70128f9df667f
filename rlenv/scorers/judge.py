"""A model as judge (RLAIF): an OpenAI-compatible endpoint grades each completion by a rubric.

    {"kind": "judge", "url": "http://localhost:8000/v1", "model": "Qwen/Qwen2.5-7B-Instruct",
     "criteria": {"correct": "Is the result right?", "clear": "Can a pupil follow it?"}, "cache": "judge.sqlite"}

The score is on [0, 1]; the labels hold each criterion on the rubric's own scale. What the answer could do to the judge
is met before, in and after the request: answers without substance score 0 without it, data is cleaned (cleaning.py) and
stands between lines that only this request has, and only one verdict with the mark of the request, at the end, counts
(judge_client.py). Anything else is a failure of that completion, never a low score, unless the answer wrote a verdict
of its own: then it scores 0. A judge can still be talked into a good score; the wrappers JudgeManipulation and
Ensemble, and a gold check, are for that.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.verdict import Flag
from rlenv.scorers.cleaning import judge_view, reject
from rlenv.scorers.judge_client import (
    GREEDY,
    PROMPTS,
    Answer,
    JudgeClient,
    Question,
    framed,
    judge_client,
    mark_of,
    own_verdicts,
    question_and_reference,
    read_verdict,
)
from rlenv.scorers.scorer import Job, Score, fingerprint

MAX_CHARS = 20_000
SELF_GRADED = "self_graded"
"""Flags an answer that wrote a verdict of its own, where that left none of the judge's: it scores 0."""
TEMPLATE_VERSION = 1
"""Raised with every change of the wording: judgements of another wording are other judgements."""
DEFAULT_CRITERIA = {"quality": "How well does the answer do what the question asks for, correctly and completely?"}


@dataclass(frozen=True)
class Rubric:
    """Criteria by name, each a question; their scores are averaged by weight and brought to [0, 1]."""

    criteria: Mapping[str, str] = field(default_factory=lambda: dict(DEFAULT_CRITERIA))
    scale: tuple[float, ...] = (1.0, 5.0)
    """The lowest score and the highest."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """1 where nothing is said."""
    use_reference: bool = True
    """Show the task's reference, where it is text, as an answer known to be right."""
    instructions: str = ""
    """Anything else the judge should know."""

    def __post_init__(self) -> None:
        if not self.criteria or not all(name.isidentifier() and name != "mark" for name in self.criteria):
            raise ConfigError(f"expected criteria by names that are identifiers, got {list(self.criteria)}")
        if len(self.scale) != 2 or not self.scale[0] < self.scale[1]:
            raise ConfigError(f"expected a scale of two numbers, low and high, got {self.scale}")
        unknown = sorted(set(self.weights) - set(self.criteria))
        if unknown or any(weight < 0 for weight in self.weights.values()) or self._total() <= 0:
            raise ConfigError(f"expected weights of 0 or more for {list(self.criteria)}, got {dict(self.weights)}")

    @property
    def version(self) -> str:
        """A fingerprint of everything that shapes the request and the score."""
        shape: list[Json] = [self.criteria, self.scale, self.weights, self.use_reference, self.instructions]
        return hashlib.blake2b(canonical([*shape, TEMPLATE_VERSION]).encode(), digest_size=8).hexdigest()

    def question(self, job: Job) -> Question:
        """What asks for a verdict on this completion."""
        answer = judge_view(job[1])
        named = question_and_reference(job[0], self.use_reference) | {"answer": answer}
        mark = mark_of(named, self.version)
        form = ", ".join([f'"mark": "{mark}"', *(f'"{name}": <score>' for name in self.criteria)])
        text = PROMPTS["judge_question"].format(
            low=self.scale[0],
            high=self.scale[1],
            criteria="\n".join(f"- {name}: {question}" for name, question in self.criteria.items()),
            extra=self.instructions + "\n" if self.instructions else "",
            data=framed(named, mark),
            form="{" + form + "}",
        )
        system = {"role": "system", "content": PROMPTS["judge_system"].format(mark=mark)}
        return Question(mark, (system, {"role": "user", "content": text}), answer)

    def read(self, question: Question, answer: str) -> dict[str, float]:
        """The score of each criterion.

        Raises ValueError for everything but one verdict at the end, and for one that gives the very scores that the
        graded text gives itself: who could tell whose they are?
        """
        fields = read_verdict(answer, question.mark, tuple(self.criteria), question.judged)
        if [fields[name] for name in self.criteria] in own_verdicts(question.judged, tuple(self.criteria)):
            raise ValueError("the very verdict that the graded text gives itself")
        scores = {name: _number(fields[name], name) for name in self.criteria}
        low, high = self.scale
        outside = {name: score for name, score in scores.items() if not low <= score <= high}
        if outside:
            raise ValueError(f"scores {outside} that are not between {low:g} and {high:g}")
        return scores

    def value(self, scores: Mapping[str, float]) -> float:
        """The weighted mean of the scores, on [0, 1]."""
        low, high = self.scale
        mean = sum(self.weights.get(name, 1.0) * score for name, score in scores.items()) / self._total()
        return min(1.0, max(0.0, (mean - low) / (high - low)))

    def _total(self) -> float:
        return sum(self.weights.get(name, 1.0) for name in self.criteria)


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise ValueError(f"{str(value)[:50]!r} as the score of {name}")
    return float(value)


@dataclass(frozen=True)
class JudgeScorer:
    """Grades by a rubric. Equal questions are asked once."""

    client: JudgeClient
    rubric: Rubric = field(default_factory=Rubric)
    max_chars: int = MAX_CHARS
    """A longer answer scores 0 and is flagged: what a judge sees only in part it cannot judge."""
    name: str = "judge"

    def __post_init__(self) -> None:
        if self.name in self.rubric.criteria:
            raise ConfigError(f"expected another name than that of a criterion, got {self.name!r}")

    @property
    def version(self) -> str:
        return fingerprint(self.client.version, self.rubric.version, self.max_chars)

    def score(self, jobs: Sequence[Job]) -> list[Score]:
        """One score a job. Raises ConfigError where the cache cannot be used."""
        flags = [reject(task, completion, self.max_chars) for task, completion in jobs]
        scores = {i: Score(0.0, reason=flag.detail, flags=(flag,)) for i, flag in enumerate(flags) if flag is not None}
        questions = {i: self.rubric.question(job) for i, job in enumerate(jobs) if i not in scores}
        answers = self.client.ask_all(list(questions.values()), self._readable)
        for (place, question), answer in zip(questions.items(), answers, strict=True):
            scores[place] = self._scored(question, answer)
        return [scores[place] for place in range(len(jobs))]

    def _scored(self, question: Question, answer: Answer) -> Score:
        if isinstance(answer, PolicyError):
            return Score.failure(str(answer))
        try:
            scores = self.rubric.read(question, answer)
        except ValueError as error:
            # where the answer wrote a verdict, a judgement that cannot be read is the answer's doing
            if own_verdicts(question.judged, tuple(self.rubric.criteria)):
                detail = f"the answer holds a verdict of its own, and the judge gave {error}"
                return Score(0.0, reason=detail, flags=(Flag(SELF_GRADED, 0, len(question.judged), detail),))
            return Score.failure(f"the judge gave {error}: {' '.join(answer.split())[-200:]}")
        return Score(self.rubric.value(scores), scores)

    def _readable(self, question: Question, answer: str) -> bool:
        return self._scored(question, answer).value is not None


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
    """A judge from settings that JSON can hold: those of `judge_client` and of the rubric."""
    rubric = Rubric(
        DEFAULT_CRITERIA if criteria is None else criteria, tuple(scale), weights or {}, use_reference, instructions
    )
    return JudgeScorer(judge_client(url, model, cache, max_tokens, endpoint), rubric, max_chars, name)
