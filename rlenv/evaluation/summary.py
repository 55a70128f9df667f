"""The figures of an evaluation, counted in one place: what eval, report, page, card and compare print.

A problem is one task (of a training: at one step). A `verifier_error` is missing data: its completion counts neither
for nor against its problem, and the number of them stands apart.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import Task, prompt_text
from rlenv.evaluation.passk import Count, Estimate, Metric, estimate, pass_at_k
from rlenv.text.escaping import shown_line
from rlenv.turns.live import turn_lines

MOST_MISSED, JUDGED = 3, 200
"""How many completions that did not pass are quoted, and how many characters of each."""
MANY_ALIKE = 0.5
"""A report says why nothing was judged when a larger share of completions was refused for one reason."""
PROMPT_CHARS = 80
"""How much of a task's prompt stands beside its id."""
FEWEST_REPEATS = 10
"""Before that many completions that repeat the first of their problem, a report says nothing of sampling: three pairs
of a server that says the same four times in five are all alike in half of the cases."""


@dataclass(slots=True)
class Problem:
    """One task of an evaluation, and what its completions earned."""

    task_id: str
    prompt: str
    """The beginning of what was asked."""
    place: tuple[int, int]
    """Its step and group; of a task that stands in several groups, those of the first."""
    digest: int
    """Of all of the task."""
    text: int
    """A digest of its first completion."""
    different: bool = False
    """Not all of its completions are one text."""
    asked: int = 0
    """Completions, also those at which the verifier failed."""
    passed: int = 0
    rewards: list[float] = field(default_factory=list)
    """Of the completions with a verdict."""

    @property
    def judged(self) -> int:
        return len(self.rewards)

    def with_more(self, other: Problem) -> Problem:
        """This one with the completions of another step."""
        rewards = [*self.rewards, *other.rewards]
        return replace(self, asked=self.asked + other.asked, passed=self.passed + other.passed, rewards=rewards)


@dataclass(frozen=True, slots=True)
class Missed:
    """A completion that did not pass, and what of it was judged."""

    task_id: str
    judged: str
    """The text of the verdict's answer, cut to `JUDGED` characters, or what was said to a verifier that names neither
    an answer nor a reason; empty where none was found."""
    reward: float
    reason: str
    turns: tuple[str, ...] = ()
    """The episode turn by turn, where it has several."""
    prompt: str = ""
    """The beginning of what was asked; the episodes have all of it, and report.json has none."""

    @classmethod
    def of(cls, episode: Episode) -> Missed:
        """What is quoted of an episode."""
        verdict = episode.verdict
        taken = [f"{name} took {-value:g}" for name, value in verdict.parts if value < 0]
        reason = "; ".join(filter(None, [verdict.reason[:JUDGED], *taken]))
        turns = tuple(turn_lines(episode.completion))
        unread = verdict.answer is None and not reason and not turns  # a plain function, which judges all that was said
        judged = (episode.completion.content.text if unread else episode.answer_text)[:JUDGED]
        return cls(episode.task.id, judged, verdict.reward or 0.0, reason, turns, prompt_line(episode.task))

    def to_json(self) -> list[Json]:
        return [self.task_id, self.judged, self.reward, self.reason, *([list(self.turns)] if self.turns else [])]

    def __str__(self) -> str:
        judged, reason = shown_line(self.judged), shown_line(self.reason)
        judged = judged or (f"{len(self.turns)} turns" if self.turns else "" if reason else "no answer")
        task = f"{self.prompt} (task {shown_line(self.task_id)})" if self.prompt else f"task {shown_line(self.task_id)}"
        parts = [task, *([judged] if judged not in reason else []), f"reward {self.reward:g}"]
        first = f"not passed: {', '.join(parts)}" + (f": {reason}" if reason else "")
        return "\n".join([first, *(f"  - {shown_line(turn)}" for turn in self.turns)])


@dataclass(frozen=True, slots=True)
class ScoreMean:
    """The mean of one score over the judged episodes whose verdict has it."""

    mean: float
    count: int


class Summary:
    """Counts episodes as they come, in any order, so that none has to stay in memory."""

    def __init__(self, settings: Mapping[str, Json] | None = None, threshold: float | None = None) -> None:
        """`settings` are those of the run; `threshold` is theirs unless given: a completion passes from there on."""
        self.settings: Mapping[str, Json] = settings or {}
        passing = self.settings.get("threshold", 1.0) if threshold is None else threshold
        self.threshold = float(passing) if isinstance(passing, (int, float)) else 1.0
        self.episodes = 0
        self.cut = 0
        """Completions that ended at the token limit."""
        self.flags: dict[str, int] = {}
        """How many episodes carry each flag."""
        self.reasons: Counter[str] = Counter()
        """Of verifier errors."""
        self._problems: dict[tuple[int, str], Problem] = {}
        self._scores: dict[str, list[float]] = {}
        self._missed: dict[tuple[int, int, str], tuple[int, Missed]] = {}
        self._without_answer: Counter[str] = Counter()
        self._completions = 0

    @classmethod
    def of(cls, episodes: Iterable[Episode], settings: Mapping[str, Json], threshold: float | None = None) -> Summary:
        """The summary of a saved run."""
        return Summary(settings, threshold).add(episodes)

    def add(self, episodes: Iterable[Episode]) -> Self:
        """Count these too."""
        for episode in episodes:
            self._add(episode)
        return self

    @property
    def problems(self) -> tuple[Problem, ...]:
        """By their place in the run."""
        return tuple(sorted(self._problems.values(), key=lambda problem: problem.place))

    def by_task(self) -> dict[str, Problem]:
        """Problems by task id; what several steps of a log asked of one task is taken together."""
        tasks: dict[str, Problem] = {}
        for problem in self.problems:
            before = tasks.get(problem.task_id)
            tasks[problem.task_id] = problem if before is None else before.with_more(problem)
        return tasks

    def counts(self) -> dict[str, Count]:
        """(judged, passed) by task id."""
        return {name: (problem.judged, problem.passed) for name, problem in self.by_task().items()}

    def estimate(self, k: int, metric: Metric = pass_at_k) -> Estimate | None:
        """pass@k with its interval; None where no problem has k judged completions."""
        counts = [(problem.judged, problem.passed) for problem in self.problems]
        return estimate(counts, k, metric=metric) if any(judged >= k for judged, _ in counts) else None

    @property
    def verifier_errors(self) -> int:
        return self.reasons.total()

    @property
    def mean_reward(self) -> float | None:
        """Over judged completions; None when there are none."""
        rewards = [reward for problem in self._problems.values() for reward in problem.rewards]
        return math.fsum(rewards) / len(rewards) if rewards else None

    @property
    def scores(self) -> dict[str, ScoreMean]:
        """The raw scores of the verdicts by name."""
        return {name: ScoreMean(math.fsum(v) / len(v), len(v)) for name, v in sorted(self._scores.items())}

    @property
    def missed(self) -> tuple[Missed, ...]:
        """The first few completions that did not pass, one a problem."""
        return tuple(self._missed[key][1] for key in sorted(self._missed))

    @property
    def digests(self) -> dict[str, str]:
        """Of the tasks (prompts, references, metadata) and of the texts of the completions, whatever their order."""
        tasks = sum(problem.digest for problem in self._problems.values())
        return {name: f"{total % 2**64:016x}" for name, total in (("tasks", tasks), ("completions", self._completions))}

    @property
    def unsampled(self) -> bool:
        """The completions of each problem are all one text, in at least `FEWEST_REPEATS` repeats."""
        repeats = self.episodes - len(self._problems)
        return repeats >= FEWEST_REPEATS and not any(one.different for one in self._problems.values())

    @property
    def alike(self) -> tuple[str, int] | None:
        """The most frequent reason of completions in which nothing was found to judge, and how many have it."""
        reason, count = min(self._without_answer.items(), key=lambda item: (-item[1], item[0]), default=("", 0))
        return (reason, count) if count > MANY_ALIKE * (self.episodes - self.verifier_errors) else None

    @property
    def unfinished(self) -> str:
        """How far an evaluation came that has not ended, in words; empty where it has, and of other runs."""
        asked, n = self.settings.get("tasks"), self.settings.get("n")
        if not isinstance(asked, int) or not isinstance(n, int):
            return ""
        done = [problem for problem in self.problems if problem.asked >= n]
        count = sum(problem.asked // n for problem in done)
        first = [problem.place[1] for problem in done] == list(range(len(done)))
        order = "in the order of the file" if first else "those that were answered first"
        return "" if count >= asked else f"unfinished: {count} of {asked} tasks ({order})"

    def note(self) -> str:
        """The score so far, for the progress bar."""
        judged = self.episodes - self.verifier_errors
        return f"pass@1 {sum(one.passed for one in self._problems.values()) / judged:.3f}" if judged else ""

    def _add(self, episode: Episode) -> None:
        problem, reward = self._problem(episode), episode.verdict.reward
        self.episodes += 1
        self.cut += not episode.completion.finished
        for name in {flag.name for flag in episode.verdict.flags}:
            self.flags[name] = self.flags.get(name, 0) + 1
        if reward is None:
            self.reasons[episode.verdict.reason] += 1
            return
        problem.rewards.append(reward)
        problem.passed += reward >= self.threshold
        if reward < self.threshold:
            self._keep_missed(episode)
            if episode.verdict.answer is None and episode.verdict.reason:
                self._without_answer[episode.verdict.reason[:JUDGED]] += 1
        for name, score in episode.verdict.scores.items():
            if math.isfinite(score):
                self._scores.setdefault(name, []).append(score)

    def _problem(self, episode: Episode) -> Problem:
        """That of the episode, with it counted."""
        task, place, text = episode.task, (episode.step, episode.group), _digest(repr(episode.completion.text))
        problem = self._problems.get((episode.step, task.id))
        if problem is None:
            problem = Problem(task.id, prompt_line(task), place, _digest(canonical(task.to_json())), text)
            self._problems[episode.step, task.id] = problem
        problem.place = min(problem.place, place)
        problem.different = problem.different or text != problem.text
        problem.asked += 1
        self._completions += _digest(f"{task.id} {episode.index} {text}")
        return problem

    def _keep_missed(self, episode: Episode) -> None:
        """The first of a problem, of the first problems: the same whatever came first."""
        key, kept = (episode.step, episode.group, episode.task.id), self._missed
        if key in kept and kept[key][0] <= episode.index:
            return
        if key in kept or len(kept) < MOST_MISSED or key < max(kept):
            kept[key] = episode.index, Missed.of(episode)
        if len(kept) > MOST_MISSED:
            del kept[max(kept)]


def prompt_line(task: Task) -> str:
    """The beginning of a task's prompt on one line."""
    return shown_line(prompt_text(task.prompt)[: 4 * PROMPT_CHARS], PROMPT_CHARS)


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
