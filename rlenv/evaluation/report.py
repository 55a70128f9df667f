"""What an evaluation found: pass@k with intervals, and everything that a reader should know beside it.

A `verifier_error` is missing data: its completion counts neither for nor against the problem, and the
report gives the number of them apart.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import prompt_text
from rlenv.evaluation.passk import Count, Estimate, Metric, estimate, pass_at_k, pass_hat_k
from rlenv.text.escaping import shown_cell, shown_line
from rlenv.turns.live import turn_lines

MAX_REASONS = 5
"""How many of the most frequent reasons of verifier errors a report keeps."""

MOST_SCORES = 8
"""How many scores a report shows before it says how many more are in report.json."""

MANY_CUT = 0.1
"""A report says that the token limit may cost passes when a larger share of completions was cut."""
MOST_MISSED, JUDGED = 3, 200
"""How many completions that did not pass a report quotes, and how many characters of each."""
MANY_ALIKE = 0.5
"""A report says why nothing was judged when a larger share of completions was refused for one reason."""
PROMPT_CHARS = 80
"""How much of a task's prompt stands beside a completion that did not pass."""
FEWEST_REPEATS = 10
"""Before that many completions that repeat the first of their problem, a report says nothing of sampling: three pairs
of a server that says the same four times in five are all alike in half of the cases."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One task of an evaluation."""

    task_id: str
    judged: int
    """Completions with a verdict; verifier errors are not among them."""
    passed: int


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

    def to_json(self) -> list[Json]:
        return [self.task_id, self.judged, self.reward, self.reason, *([list(self.turns)] if self.turns else [])]

    def __str__(self) -> str:
        judged, reason = shown_line(self.judged), shown_line(self.reason)
        judged = judged or (f"{len(self.turns)} turns" if self.turns else "" if reason else "no answer")
        task = f"{self.prompt} (task {shown_line(self.task_id)})" if self.prompt else f"task {shown_line(self.task_id)}"
        told = [task, *([judged] if judged not in reason else []), f"reward {self.reward:g}"]
        first = f"not passed: {', '.join(told)}" + (f": {reason}" if reason else "")
        return "\n".join([first, *(f"  - {shown_line(turn)}" for turn in self.turns)])


@dataclass(frozen=True, slots=True)
class ScoreMean:
    """The mean of one score over the judged episodes whose verdict has it."""

    mean: float
    count: int


@dataclass(frozen=True, kw_only=True)
class Report:
    """The result of one evaluation; `print(report)` shows it, `markdown()` and `to_json()` keep it."""

    env: str
    policy: str
    settings: Mapping[str, Json]
    threshold: float
    """A completion passes when its reward is at least this."""
    pass_at: Mapping[int, Estimate]
    """pass@k by k: one of k completions passes. A k that no problem has judged completions for is missing."""
    pass_hat: Mapping[int, Estimate]
    """pass^k by k: all of k completions pass."""
    mean_reward: float | None
    """Over judged completions; None when there are none."""
    problems: tuple[Problem, ...]
    episodes: int
    verifier_errors: int
    error_reasons: Mapping[str, int]
    """The most frequent reasons of verifier errors, with their counts."""
    cut: int
    """Completions that ended at the token limit."""
    flags: Mapping[str, int]
    """How many episodes carry each flag."""
    scores: Mapping[str, ScoreMean] = field(default_factory=dict)
    """The raw scores of the verdicts by name."""
    missed: tuple[Missed, ...] = ()
    """The first few completions that did not pass, one a problem."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Of the tasks (prompts, references, metadata) and of the texts of the completions, whatever their order."""

    unsampled: bool = False
    """The completions of each problem are all one text, in at least `FEWEST_REPEATS` repeats."""
    alike: tuple[str, int] | None = None
    """The most frequent reason of completions in which nothing was found to judge, and how many have it; None where
    it is not that of many."""
    unknown: str = field(default="", compare=False)
    """What the policy's tokenizer does not know of the tasks, as a sentence; not in report.json."""
    there: int = field(default=0, compare=False)
    """How many of the episodes an earlier call had saved; not part of what is written."""

    def counts(self) -> dict[str, Count]:
        """(judged, passed) by task id: what `rlenv.evaluation.passk.paired_difference` compares two runs by."""
        counts: dict[str, Count] = {}
        for problem in self.problems:
            n, c = counts.get(problem.task_id, (0, 0))
            counts[problem.task_id] = (n + problem.judged, c + problem.passed)
        return counts

    def to_json(self) -> dict[str, Json]:
        return {
            "env": self.env,
            "policy": self.policy,
            "pass_at": {str(k): found.to_json() for k, found in self.pass_at.items()},
            "pass_hat": {str(k): found.to_json() for k, found in self.pass_hat.items()},
            "threshold": self.threshold,
            "mean_reward": self.mean_reward,
            "episodes": self.episodes,
            "verifier_errors": self.verifier_errors,
            "error_reasons": dict(self.error_reasons),
            "cut": self.cut,
            "flags": dict(self.flags),
            "scores": {name: [score.mean, score.count] for name, score in self.scores.items()},
            "missed": [missed.to_json() for missed in self.missed],
            "settings": dict(self.settings),
            "digests": dict(self.digests),
            "problems": [[p.task_id, p.judged, p.passed] for p in self.problems],
        }

    def facts(self) -> list[str]:
        """The counts beside the estimates, one sentence each."""
        mean = "none judged" if self.mean_reward is None else f"{self.mean_reward:.4g}"
        many_cut = self.cut > MANY_CUT * self.episodes
        found = [
            f"mean reward: {mean} (a completion passes at {self.threshold:g} or more)",
            f"episodes: {self.episodes} over {len(self.problems)} problems, {self.cut} cut at the token limit"
            + ("; a higher limit may find more passes" if many_cut else ""),
            f"verifier errors: {self.verifier_errors}" + (" (left out)" if self.verifier_errors else ""),
        ]
        found += [f"verifier error: {shown_line(reason)} ({count})" for reason, count in self.error_reasons.items()]
        if self.alike is not None:
            found.append(self._alike(*self.alike))
        if self.unknown:
            found.append(self.unknown)
        if self.flags:
            found.append("flags: " + ", ".join(f"{shown_line(name)} {count}" for name, count in self.flags.items()))
        if self.scores:
            found.append(self._scores())
        if self.unsampled and self.settings.get("temperature") and self.policy.startswith("http"):
            found.append(
                "the completions of each problem are one text: perhaps this server does not sample, and then pass@k "
                "says no more than pass@1; tell it to (of `transformers serve`: do_sample in the model's "
                "generation_config.json)"
            )
        if self.digests:
            found.append("digests: " + ", ".join(f"{name} {digest}" for name, digest in self.digests.items()))
        found += map(str, self.missed)
        found += [
            f"pass@{k} leaves out {e.dropped} problems with fewer than {k} judged completions"
            for k, e in self.pass_at.items()
            if e.dropped
        ]
        asked = cast("Sequence[int]", self.settings.get("k", ()))
        return found + [f"pass@{k}: no problem has {k} judged completions" for k in asked if k not in self.pass_at]

    def _alike(self, reason: str, count: int) -> str:
        judged = sum(problem.judged for problem in self.problems)
        return (
            f"{count} of {judged} completions: {shown_line(reason)}; if the prompt does not ask for this form, ask for "
            "it: --system-prompt, or --set template=... where the environment has one"
        )

    def _scores(self) -> str:
        """Each score with the number of its episodes; that number is left out where it is all judged ones."""
        judged = sum(problem.judged for problem in self.problems)
        shown = [
            f"{shown_line(name)} {score.mean:.3f}" + (f" ({score.count})" if score.count != judged else "")
            for name, score in list(self.scores.items())[:MOST_SCORES]
        ]
        more = len(self.scores) - len(shown)
        return "scores: " + ", ".join(shown) + (f", and {more} more in report.json" if more > 0 else "")

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Metric, value, interval and the interval's method, as text; pass^1 is pass@1 and is left out."""
        named = [(f"pass@{k}", e) for k, e in self.pass_at.items()]
        named += [(f"pass^{k}", e) for k, e in self.pass_hat.items() if k > 1]
        return [(name, f"{e.value:.3f}", f"[{e.low:.3f}, {e.high:.3f}]", e.method) for name, e in named]

    def __str__(self) -> str:
        table = [f"  {name:<9} {value}  {interval}  {method}" for name, value, interval, method in self.rows()]
        return "\n".join(
            [shown_line(f"{self.env}, {self.policy}: 95 % intervals over problems"), *table, *self.facts()]
        )

    def markdown(self) -> str:
        """A page: the estimates, the counts and the settings."""
        table = ["| metric | value | 95 % interval | interval by |", "|---|---|---|---|"]
        table += [f"| {' | '.join(row)} |" for row in self.rows()]
        facts = [f"- {fact}" for fact in self.facts()]
        settings = [f"| {shown_cell(key)} | `{shown_cell(str(value))}` |" for key, value in self.settings.items()]
        head = [
            shown_line(f"# {self.env}: {self.policy}"),
            "",
            "Intervals resample problems; see `rlenv/evaluation/passk.py`.",
            "",
        ]
        return "\n".join([*head, *table, "", *facts, "", "| setting | value |", "|---|---|", *settings, ""])


def _missed(episode: Episode) -> Missed:
    verdict = episode.verdict
    taken = [f"{name} took {-value:g}" for name, value in verdict.parts if value < 0]
    reason = "; ".join(filter(None, [verdict.reason[:JUDGED], *taken]))
    turns = tuple(turn_lines(episode.completion))
    unread = verdict.answer is None and not reason and not turns  # a plain function, which judges all that was said
    judged = (episode.completion.content.text if unread else episode.answer_text)[:JUDGED]
    prompt = shown_line(prompt_text(episode.task.prompt)[: 4 * PROMPT_CHARS], PROMPT_CHARS)
    return Missed(episode.task.id, judged, verdict.reward or 0.0, reason, turns, prompt)


class Tally:
    """Counts episodes as they finish, in any order, so that none has to stay in memory."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold
        self._problems: dict[tuple[int, int, str], _Counts] = {}
        self.rewards: list[float] = []
        self.episodes = 0
        self.cut = 0
        self.flags: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self._without_answer: Counter[str] = Counter()
        self.scores: dict[str, list[float]] = {}
        self._missed: dict[tuple[int, int, str], tuple[int, Missed]] = {}
        self._completions = 0
        self._passed = 0

    @property
    def errors(self) -> int:
        return self.reasons.total()

    @property
    def problems(self) -> list[Problem]:
        """By their place in the run."""
        found = sorted(self._problems.items(), key=lambda item: item[0][:2])
        return [Problem(task_id, counts.judged, counts.passed) for (_, _, task_id), counts in found]

    def add(self, episodes: Iterable[Episode]) -> None:
        """Count episodes; those of one step, group and task are of one problem."""
        for episode in episodes:
            self._add(episode)

    def note(self) -> str:
        """The score so far, for the progress bar."""
        return f"pass@1 {self._passed / len(self.rewards):.3f}" if self.rewards else ""

    def report(self, env: str, policy: str, ks: Iterable[int], settings: Mapping[str, Json]) -> Report:
        ordered, problems = sorted(set(ks)), self.problems
        reasons = sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))
        return Report(
            env=env,
            policy=policy,
            settings={**settings, "k": ordered},
            threshold=self.threshold,
            pass_at=_estimates(problems, ordered, pass_at_k),
            pass_hat=_estimates(problems, ordered, pass_hat_k),
            mean_reward=math.fsum(self.rewards) / len(self.rewards) if self.rewards else None,
            problems=tuple(problems),
            episodes=self.episodes,
            verifier_errors=self.errors,
            error_reasons=dict(reasons[:MAX_REASONS]),
            cut=self.cut,
            flags=dict(sorted(self.flags.items())),
            scores={name: ScoreMean(math.fsum(v) / len(v), len(v)) for name, v in sorted(self.scores.items())},
            missed=tuple(self._missed[key][1] for key in sorted(self._missed)[:MOST_MISSED]),
            digests=self._digests(),
            unsampled=self._unsampled(),
            alike=self._alike(),
        )

    def _add(self, episode: Episode) -> None:
        key, reward = (episode.step, episode.group, episode.task.id), episode.verdict.reward
        counts, text = self._problems.get(key), _number(repr(episode.completion.text))
        if counts is None:
            counts = self._problems[key] = _Counts(_number(canonical(episode.task.to_json())), text)
        else:
            counts.several += 1
            counts.different = counts.different or text != counts.text
        self._completions += _number(f"{episode.task.id} {episode.index} {text}")
        self.episodes += 1
        self.cut += not episode.completion.finished
        self.flags.update({flag.name for flag in episode.verdict.flags})
        if reward is None:
            self.reasons[episode.verdict.reason] += 1
            return
        counts.judged += 1
        counts.passed += reward >= self.threshold
        self._passed += reward >= self.threshold
        self.rewards.append(reward)
        if reward < self.threshold:
            self._keep_missed(key, episode)
            if episode.verdict.answer is None and episode.verdict.reason:
                self._without_answer[episode.verdict.reason[:JUDGED]] += 1
        for name, score in episode.verdict.scores.items():
            if math.isfinite(score):
                self.scores.setdefault(name, []).append(score)

    def _keep_missed(self, key: tuple[int, int, str], episode: Episode) -> None:
        """The first of a problem, of the first problems: the same whatever came first."""
        kept = self._missed.get(key)
        if kept is not None and kept[0] <= episode.index:
            return
        if kept is None and len(self._missed) >= MOST_MISSED:
            last = max(self._missed)
            if last < key:
                return
            del self._missed[last]
        self._missed[key] = episode.index, _missed(episode)

    def _unsampled(self) -> bool:
        counts = self._problems.values()
        return sum(one.several for one in counts) >= FEWEST_REPEATS and not any(one.different for one in counts)

    def _alike(self) -> tuple[str, int] | None:
        found = min(self._without_answer.items(), key=lambda item: (-item[1], item[0]), default=None)
        return None if found is None or found[1] <= MANY_ALIKE * len(self.rewards) else found

    def _digests(self) -> dict[str, str]:
        """The sums do not depend on the order in which episodes came."""
        tasks = sum(counts.task for counts in self._problems.values())
        return {name: f"{total % 2**64:016x}" for name, total in (("tasks", tasks), ("completions", self._completions))}


@dataclass(slots=True)
class _Counts:
    """Of one problem."""

    task: int
    """A number made of all of the task."""
    text: int
    """A number made of the text of its first completion."""
    several: int = 0
    """Completions behind the first."""
    different: bool = False
    """Not all of them have one text."""
    judged: int = 0
    passed: int = 0


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _estimates(problems: Sequence[Problem], ks: Sequence[int], metric: Metric) -> dict[int, Estimate]:
    counts = [(p.judged, p.passed) for p in problems]
    most = max((n for n, _ in counts), default=0)
    return {k: estimate(counts, k, metric=metric) for k in ks if k <= most}
