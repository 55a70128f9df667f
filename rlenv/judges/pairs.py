"""A model as judge of pairs: which of two completions is better, asked in both orders; and groups, pair by pair.

    judge = PairJudge(judge_client("http://localhost:8000/v1", "Qwen/Qwen2.5-7B-Instruct", cache="pairs.sqlite"))
    comparison = judge.compare([PairJob(task, first, second)])[0]

Judges favour a place. A pair counts for one of its two only where it wins from both; another preference in the other
order is a tie, marked as inconsistent and counted. A completion without substance loses to one that has some, without
asking; between two of them there is a tie. Marks, cleaning and reading are those of the judge by rubric.

>>> from rlenv import Completion, Task
>>> class Longer:
...     def compare(self, jobs):
...         return [Comparison("first" if len(j.first.text) > len(j.second.text) else "second") for j in jobs]
>>> standing = play(Longer(), [(Task("?"), [Completion("a"), Completion("abc"), Completion("ab")])])[0]
>>> standing.shares, standing.wins
((0.0, 1.0, 0.5), ((1, 0), (2, 0), (1, 2)))
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple, Protocol, TypeAlias, get_args

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, PolicyError
from rlenv.core.task import Task
from rlenv.judges.client import (
    PROMPTS,
    Answer,
    Client,
    Question,
    Slot,
    Weighed,
    framed,
    mark_of,
    question_and_reference,
    read_verdict,
)
from rlenv.scorers.cleaning import judge_view, reject
from rlenv.scorers.scorer import fingerprint

Winner: TypeAlias = Literal["first", "second", "tie"]
Draw: TypeAlias = Literal["all", "neighbours"]
"""Who meets whom: every two, or each only the next one and the last the first (n comparisons instead of n(n-1)/2)."""
TEMPLATE_VERSION = 1
"""Raised with every change of the wording."""
CRITERION = PROMPTS["pair_criterion"]
WORDS = {"A": 1.0, "B": 0.0, "tie": 0.5}
"""What answer_A earns by the judge's word; by log-probs it earns their mean."""
Points: TypeAlias = "float | PolicyError"


class PairJob(NamedTuple):
    """Two completions of one task."""

    task: Task
    first: Completion
    second: Completion


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which is better; `winner` is None where the judge failed in one order or in both."""

    winner: Winner | None
    consistent: bool = True
    """False for a tie that comes from two orders which contradict each other."""
    reason: str = ""

    @property
    def points(self) -> tuple[float, float] | None:
        """A win is 1, a tie half for both."""
        if self.winner is None:
            return None
        return {"first": (1.0, 0.0), "second": (0.0, 1.0), "tie": (0.5, 0.5)}[self.winner]


@dataclass(frozen=True, slots=True)
class InOrder:
    """What the first of a pair earns where it stands first, and where it stands second; None where the judge failed."""

    points: tuple[float, float] | None
    reason: str = ""

    @classmethod
    def alike(cls, comparison: Comparison) -> InOrder:
        """The same in both orders."""
        earned = None if comparison.points is None else comparison.points[0]
        return cls(None if earned is None else (earned, earned), comparison.reason)

    @property
    def mean(self) -> float:
        """Over both orders; nan after a failure."""
        return math.nan if self.points is None else sum(self.points) / 2

    @property
    def apart(self) -> float:
        """How much more it earns in the first place; nan after a failure."""
        return math.nan if self.points is None else self.points[0] - self.points[1]


@dataclass(frozen=True)
class PairJudge:
    """Compares by one criterion, in words."""

    client: Client
    criterion: str = CRITERION
    use_reference: bool = True
    max_chars: int = 20_000
    """A longer answer counts as one without substance."""
    name: str = "pair_judge"

    @property
    def version(self) -> str:
        """Changes with whatever may change a comparison."""
        settings = (self.criterion, self.use_reference, self.max_chars, TEMPLATE_VERSION)
        return fingerprint(self.client.version, *settings)

    def compare(self, jobs: Sequence[PairJob]) -> list[Comparison]:
        """One comparison a job, in order; a failure of the judge is that of its pair alone."""
        comparisons = {i: easy for i, job in enumerate(jobs) if (easy := self._without_asking(job)) is not None}
        places = [i for i in range(len(jobs)) if i not in comparisons]
        for i, (straight, swapped) in zip(places, self._asked([jobs[i] for i in places]), strict=True):
            comparisons[i] = _of_both(straight, swapped)
        return [comparisons[i] for i in range(len(jobs))]

    def in_orders(self, jobs: Sequence[PairJob]) -> list[InOrder]:
        """What the first earns in each order, for who measures the judge; what needs no asking earns alike in both."""
        easy = [self._without_asking(job) for job in jobs]
        asked = iter(self._asked([job for job, one in zip(jobs, easy, strict=True) if one is None]))
        return [_in_order(*next(asked)) if one is None else InOrder.alike(one) for one in easy]

    def _asked(self, jobs: Sequence[PairJob]) -> list[tuple[Points, Points]]:
        """What the first of each job earns: as answer_A, and as answer_B."""
        questions = [self._question(job, swapped=swapped) for job in jobs for swapped in (False, True)]
        answers = self.client.ask_all(
            questions, lambda question, answer: not isinstance(_of_a(question, answer), PolicyError)
        )
        points = [_of_a(question, answer) for question, answer in zip(questions, answers, strict=True)]
        swapped = [one if isinstance(one, PolicyError) else 1 - one for one in points[1::2]]
        return list(zip(points[::2], swapped, strict=True))

    def _without_asking(self, job: PairJob) -> Comparison | None:
        empty = [reject(job.task, each, self.max_chars) is not None for each in (job.first, job.second)]
        if all(empty) or judge_view(job.first) == judge_view(job.second):
            return Comparison("tie", reason="neither has substance" if all(empty) else "the same text")
        if any(empty):
            return Comparison("second" if empty[0] else "first", reason="the other is without substance")
        return None

    def _question(self, job: PairJob, *, swapped: bool) -> Question:
        texts = [judge_view(job.first), judge_view(job.second)]
        a, b = reversed(texts) if swapped else texts
        named = {**question_and_reference(job.task, self.use_reference), "answer_A": a, "answer_B": b}
        mark = mark_of(named, self.version)
        text = PROMPTS["pair_question"].format(criterion=self.criterion, data=framed(named, mark), mark=mark)
        system = {"role": "system", "content": PROMPTS["pair_system"].format(mark=mark)}
        form = (Slot(f'{{"mark": "{mark}", "better": "', tuple(WORDS)),)
        return Question(mark, (system, {"role": "user", "content": text}), f"{a}\n{b}", form)


def _of_a(question: Question, answer: Answer) -> Points:
    """What answer_A earns, or why nobody knows."""
    if isinstance(answer, PolicyError):
        return answer
    if isinstance(answer, Weighed):
        return math.fsum(WORDS[word] * chance for word, chance in answer.chances[0].items())
    try:
        word = read_verdict(answer, question.mark, ("better",), question.judged)["better"]
        if not isinstance(word, str) or word not in WORDS:
            raise ValueError(f"{str(word)[:50]!r} as the better answer")
    except ValueError as error:
        return PolicyError(f"the judge gave {error}: {' '.join(answer.split())[-200:]}")
    return WORDS[word]


def _in_order(straight: Points, swapped: Points) -> InOrder:
    """What the first earns in each order, where both are known."""
    if isinstance(straight, PolicyError) or isinstance(swapped, PolicyError):
        return InOrder(None, str(straight if isinstance(straight, PolicyError) else swapped))
    return InOrder((straight, swapped))


def _of_both(straight: Points, swapped: Points) -> Comparison:
    """The winner by what the first earns in each order."""
    if isinstance(straight, PolicyError) or isinstance(swapped, PolicyError):
        return Comparison(None, reason=str(straight if isinstance(straight, PolicyError) else swapped))
    winner, other = _winner(straight), _winner(swapped)
    if winner == other:
        return Comparison(winner)
    return Comparison("tie", consistent=False, reason=f"{winner}, and {other} the other way")


def _winner(points: float) -> Winner:
    return "tie" if points == 0.5 else "first" if points > 0.5 else "second"


class Comparing(Protocol):
    """A PairJudge, or anything that compares as one."""

    def compare(self, jobs: Sequence[PairJob]) -> list[Comparison]: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """What the comparisons within one group came to."""

    shares: tuple[float | None, ...]
    """The share of its points that each completion won, in [0, 1]; None where fewer than half of its comparisons were
    judged, so that nobody is placed by luck."""
    wins: tuple[tuple[int, int], ...]
    """Places (better, worse), in the order of the comparisons."""
    ties: int
    inconsistent: int
    """Ties that come from two orders which contradict each other."""
    failed: int
    problem: str = ""
    """Why the first of those that failed did."""


def play(judge: Comparing, groups: Sequence[tuple[Task, Sequence[Completion]]], draw: Draw = "all") -> list[Standing]:
    """One standing a group, in order; all comparisons of all groups are asked for at once."""
    if draw not in get_args(Draw):
        raise ConfigError(f"expected a draw of {', '.join(get_args(Draw))}, got {draw!r}")
    meetings = [list(_meetings(len(completions), draw)) for _, completions in groups]
    pairs = zip(groups, meetings, strict=True)
    jobs = [PairJob(task, several[one], several[other]) for (task, several), met in pairs for one, other in met]
    comparisons = iter(judge.compare(jobs))
    return [
        _standing(len(completions), [(meeting, next(comparisons)) for meeting in met])
        for (_, completions), met in zip(groups, meetings, strict=True)
    ]


def _meetings(count: int, draw: Draw) -> Iterable[tuple[int, int]]:
    if draw == "all" or count < 3:
        return combinations(range(count), 2)
    return ((one, (one + 1) % count) for one in range(count))


def _standing(count: int, played: Sequence[tuple[tuple[int, int], Comparison]]) -> Standing:
    judged = [(meeting, comparison) for meeting, comparison in played if comparison.winner is not None]
    decided = [(meeting, comparison.winner) for meeting, comparison in judged if comparison.winner != "tie"]
    return Standing(
        shares=tuple(_share(place, played) for place in range(count)),
        wins=tuple((one, other) if winner == "first" else (other, one) for (one, other), winner in decided),
        ties=len(judged) - len(decided),
        inconsistent=sum(not comparison.consistent for _, comparison in judged),
        failed=len(played) - len(judged),
        problem=next((comparison.reason for _, comparison in played if comparison.winner is None), ""),
    )


def _share(place: int, played: Sequence[tuple[tuple[int, int], Comparison]]) -> float | None:
    own = [(meeting.index(place), comparison.points) for meeting, comparison in played if place in meeting]
    points = [both[side] for side, both in own if both is not None]
    return sum(points) / len(points) if points and 2 * len(points) >= len(own) else None
