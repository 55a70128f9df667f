"""A model as judge (RLAIF): an OpenAI-compatible endpoint grades each completion by a rubric.

    {"kind": "judge", "url": "http://localhost:8000/v1", "model": "Qwen/Qwen2.5-7B-Instruct",
     "criteria": {"correct": "Is the result right?", "clear": "Can a pupil follow it?"}, "cache": "judge.sqlite"}

The score is on [0, 1]; the labels hold each criterion on the rubric's own scale. What the answer could do to the judge
is met before, in and after the request: answers without substance score 0 without it; data is cleaned
(scorers/cleaning.py) and stands between lines that only this request has; and only one verdict with the mark of the
request, at the end, counts (client.py). Anything else is a failure of that completion, never a low score, unless the
answer wrote a verdict of its own: then it scores 0. A judge can still be talked into a good score.
The wrappers JudgeManipulation and Ensemble, and a gold check, are against that.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import Task
from rlenv.core.verdict import Flag
from rlenv.judges.client import (
    GREEDY,
    PROMPTS,
    Answer,
    Client,
    Question,
    Slot,
    Weighed,
    framed,
    judge_client,
    mark_of,
    own_verdicts,
    question_and_reference,
    read_verdict,
)
from rlenv.scorers.cleaning import cleaned, judge_view, reject
from rlenv.scorers.scorer import Job, Score, fingerprint

MAX_CHARS = 20_000
MAX_CRITERION, MOST_CRITERIA = 4_000, 32
"""Characters of a criterion that a row holds, and how many of them."""
_COLUMN = f"a text, or a list of 1 to {MOST_CRITERIA} texts or weighted criteria of at most {MAX_CRITERION} characters"
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
    column: str = ""
    """The column of a row that holds its own criteria, which stand in for these: a text, a list of texts, or a list of
    {"criterion": text, "weight": number}."""

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
        shape += [self.column] if self.column else []
        return hashlib.blake2b(canonical([*shape, TEMPLATE_VERSION]).encode(), digest_size=8).hexdigest()

    def of(self, task: Task) -> Rubric:
        """The rubric of this task. Raises ConfigError where its row holds none that can be read."""
        if not self.column:
            return self
        told = task.metadata.get(self.column)
        several = told if isinstance(told, list | tuple) else [told]
        criteria, weights = dict[str, str](), dict[str, float]()
        for number, one in enumerate(several, start=1):
            text, weight = (one.get("criterion"), one.get("weight", 1.0)) if isinstance(one, Mapping) else (one, 1.0)
            if not isinstance(text, str) or not text.strip() or len(text) > MAX_CRITERION or number > MOST_CRITERIA:
                raise ConfigError(f"column {self.column}: expected {_COLUMN}, got {told!r:.200}; mend the row")
            name = f"criterion_{number}" if len(several) > 1 else "quality"
            criteria[name], weights[name] = cleaned(text), _number(weight, name)
        return replace(self, criteria=criteria, weights=weights, column="")

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
        return Question(mark, (system, {"role": "user", "content": text}), answer, self._form(mark))

    def _form(self, mark: str) -> tuple[Slot, ...]:
        """The verdict with a slot for each score: a whole number of the scale."""
        low, high = self.scale
        numbers = tuple(str(number) for number in range(math.ceil(low), math.floor(high) + 1))
        before = [f'{{"mark": "{mark}"', *[""] * (len(self.criteria) - 1)]
        named = zip(before, self.criteria, strict=True)
        return tuple(Slot(f'{start}, "{name}": ', numbers) for start, name in named)

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

    client: Client
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
        questions: dict[int, Question] = {}
        rubrics: dict[str, Rubric] = {}
        for place, job in enumerate(jobs):
            if place in scores:
                continue
            try:
                rubric = self.rubric.of(job[0])
            except (ConfigError, ValueError) as error:
                scores[place] = Score.failure(str(error))
                continue
            questions[place] = rubric.question(job)
            rubrics[questions[place].mark] = rubric

        def readable(question: Question, answer: str) -> bool:
            return _scored(rubrics[question.mark], question, answer).value is not None

        answers = self.client.ask_all(list(questions.values()), readable)
        for (place, question), answer in zip(questions.items(), answers, strict=True):
            scores[place] = _scored(rubrics[question.mark], question, answer)
        return [scores[place] for place in range(len(jobs))]


def _scored(rubric: Rubric, question: Question, answer: Answer) -> Score:
    """What an answer comes to by the rubric that it was asked by."""
    if isinstance(answer, PolicyError):
        return Score.failure(str(answer))
    if isinstance(answer, Weighed):
        means = [math.fsum(float(number) * p for number, p in chances.items()) for chances in answer.chances]
        scores = dict(zip(rubric.criteria, means, strict=True))
        return Score(rubric.value(scores), scores)
    try:
        scores = rubric.read(question, answer)
    except ValueError as error:
        # where the answer wrote a verdict, a judgement that cannot be read is the answer's doing
        if own_verdicts(question.judged, tuple(rubric.criteria)):
            detail = f"the answer holds a verdict of its own, and the judge gave {error}"
            return Score(0.0, reason=detail, flags=(Flag(SELF_GRADED, 0, len(question.judged), detail),))
        return Score.failure(f"the judge gave {error}: {' '.join(answer.split())[-200:]}")
    return Score(rubric.value(scores), scores)


def judge_scorer(
    url: str,
    model: str,
    criteria: Mapping[str, str] | None = None,
    scale: Sequence[float] = (1.0, 5.0),
    weights: Mapping[str, float] | None = None,
    instructions: str = "",
    use_reference: bool = True,
    column: str = "",
    cache: str | None = None,
    max_tokens: int = GREEDY.max_new_tokens,
    max_chars: int = MAX_CHARS,
    endpoint: Mapping[str, Json] | None = None,
    name: str = "judge",
) -> JudgeScorer:
    """A judge from settings that JSON can hold: those of `judge_client` and of the rubric."""
    rubric = Rubric(
        DEFAULT_CRITERIA if criteria is None else criteria,
        tuple(scale),
        weights or {},
        use_reference,
        instructions,
        column,
    )
    return JudgeScorer(judge_client(url, model, cache, max_tokens, endpoint), rubric, max_chars, name)
