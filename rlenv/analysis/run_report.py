"""`rlenv report RUN`: estimates, the same by a column, scorers, difficulty.

Nothing is sampled: every estimate is the exact mean over subsets of the completions that are saved
(rlenv.evaluation.passk, rlenv.evaluation.voting), with its 95 % interval over problems.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, RlenvError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.evaluation.passk import Estimate, mean_interval, pass_at_k, pass_hat_k
from rlenv.evaluation.report import Report, Table, estimates_frame
from rlenv.evaluation.rescoring import saved_definition
from rlenv.evaluation.savedrun import SavedRun
from rlenv.evaluation.voting import EXACT_N, best_of_k, maj_at_k
from rlenv.judge.judge import Judge
from rlenv.policies.ledger import spent_lines
from rlenv.store.saved_episodes import read_episodes
from rlenv.text.escaping import shown_line

if TYPE_CHECKING:
    import pandas

MOST_COMPARED = 64
"""Different texts of one problem that are compared two by two: at most 2,016 judgements; those behind vote by text."""
Key: TypeAlias = tuple[bool, str | None]
"""Whether a completion passes, and its answer."""


@dataclass
class Group:
    """The judged completions of one problem; those at which the verifier failed are left out.

    Two answers are the same where their texts are, up to white space. Else the verifier is asked: a completion is
    judged with the other's answer as the reference. Who passes never votes with who does not. This needs a verdict that
    names the answer, and a task whose reference is a text or a number; where either is missing, texts alone are
    compared, and where no verdict of the run names an answer, whole contents are. Completions without an answer vote
    together, as they do in lm-eval ("[invalid]").
    """

    task: Task
    judged: list[Episode] = field(default_factory=list)
    passed: list[bool] = field(default_factory=list)

    @property
    def count(self) -> tuple[int, int]:
        """(judged, passed), as `rlenv.evaluation.passk` takes it."""
        return len(self.judged), sum(self.passed)

    @property
    def rewards(self) -> list[float]:
        return [e.verdict.reward for e in self.judged if e.verdict.reward is not None]


def grouped(episodes: Iterable[Episode], threshold: float) -> list[Group]:
    """Problems in the order of the run; a completion passes when its reward is at least the threshold."""
    groups: dict[tuple[int, str], Group] = {}
    for episode in sorted(episodes, key=lambda e: (e.step, e.group, e.index)):
        group = groups.setdefault((episode.step, episode.task.id), Group(episode.task))
        if episode.verdict.reward is not None:
            group.judged.append(episode)
            group.passed.append(episode.verdict.reward >= threshold)
    return list(groups.values())


class Answers(NamedTuple):
    """The answers of each problem, as `rlenv.evaluation.voting.maj_at_k` takes them, and how they were told apart."""

    votes: list[list[tuple[int, float]]]
    note: str


def answers_of(groups: Sequence[Group], definition: Definition | None, threshold: float) -> Answers:
    """Votes by problem. Without a definition texts alone are compared."""
    named = any(e.verdict.answer is not None for group in groups for e in group.judged)
    keys: list[list[Key]] = [[(ok, _text(e, named)) for e, ok in zip(g.judged, g.passed, strict=True)] for g in groups]
    if not named:
        note = "the verifier names no answers: whole contents are compared as text"
    elif definition is None:
        note = "answers are compared as text: the environment is not there to compare them"
    else:
        same, asked = _same(groups, keys, definition, threshold)
        keys = [[one.get(key, key) for key in own] for one, own in zip(same, keys, strict=True)]
        note = f"answers are compared as text and, {asked} times, by the verifier"
        if not asked and any(len(set(own)) > 1 for own in keys):
            note = "answers are compared as text: no reference is a text or a number, or none differ"
    return Answers([[(votes, float(ok)) for (ok, _), votes in Counter(own).items()] for own in keys], note)


def _text(episode: Episode, named: bool) -> str | None:
    if not named:
        return " ".join(episode.completion.content.text.split())
    return " ".join(episode.answer_text.split()) if episode.verdict.answer is not None else None


def _same(
    groups: Sequence[Group], keys: Sequence[Sequence[Key]], definition: Definition, threshold: float
) -> tuple[list[dict[Key, Key]], int]:
    """For each problem the key that stands for each; and how often the verifier was asked."""
    jobs: list[tuple[Task, Completion]] = []
    pairs: list[tuple[int, Key, Key]] = []
    for place, (group, own) in enumerate(zip(groups, keys, strict=True)):
        first = {key: e for key, e in reversed(list(zip(own, group.judged, strict=True))) if key[1]}
        different = list(dict.fromkeys(key for key in own if key[1]))[:MOST_COMPARED]
        for one, other in combinations(different, 2):
            reference = _as_reference(one[1] or "", group.task.reference)
            if one[0] == other[0] and reference is not None:
                jobs.append((replace(group.task, reference=reference), first[other].completion))
                pairs.append((place, one, other))
    same: list[dict[Key, Key]] = [{} for _ in groups]
    for (place, one, other), verdict in zip(pairs, Judge(definition).verdicts(jobs), strict=True):
        if verdict.reward is not None and verdict.reward >= threshold:
            same[place].setdefault(other, same[place].get(one, one))
    return same, len(jobs)


def _as_reference(answer: str, like: Json) -> Json:
    """The answer in the form of the task's reference; None where it cannot be one.

    >>> _as_reference("42", 7), _as_reference("42", "7"), _as_reference("x", 7), _as_reference("42", ["7"])
    (42, '42', None, None)
    """
    if isinstance(like, str):
        return answer
    if isinstance(like, bool) or not isinstance(like, (int, float)):
        return None
    try:
        return type(like)(answer)
    except ValueError:
        return None


LOGPROB, LOGPROB_MEAN = "logprob", "logprob-mean"
"""What completions may be ranked by beside scores: the sum of their log-probs, and the mean."""
REWARD = "reward"
"""The estimate whose values are no shares."""
Values: TypeAlias = "list[float | None]"
"""Of each problem; None where it has too few completions."""
DIFFICULTY = ("0", "up to 0.2", "up to 0.4", "up to 0.6", "up to 0.8", "below 1", "1")


@dataclass(frozen=True)
class RunReport:
    """The report of a saved run with all estimates, and the tables that were asked for."""

    report: Report
    estimates: Mapping[str, Estimate]
    """By name: `pass@8`, `maj@8`, `best-of-8 by logprob`, `average@8`."""
    by: Mapping[str, Mapping[str, Mapping[str, Estimate]]]
    """By column, value and name."""
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    """What there is to say of the estimates."""

    def __str__(self) -> str:
        return "\n\n".join([self.report.text(self.estimates, self.notes), *map(str, self.tables)])

    def _repr_html_(self) -> str:
        return "\n".join([self.report.html(self.estimates, self.notes), *(table.html() for table in self.tables)])

    def frame(self) -> pandas.DataFrame:
        """The estimates of all problems and of each value of a column; see rlenv.evaluation.report.estimates_frame."""
        apart = ((column, value, own) for column, values in self.by.items() for value, own in values.items())
        return estimates_frame([("", "", self.estimates), *apart])

    def markdown(self) -> str:
        page = self.report.markdown(self.estimates, self.notes)
        return "\n".join([page, *(table.markdown() for table in self.tables)])


def analyse(
    folder: str | Path,
    *,
    k: Sequence[int] = (),
    by: Sequence[str] = (),
    maj: bool = False,
    best_of: Sequence[str] = (),
    threshold: float | None = None,
    definition: Definition | None = None,
) -> RunReport:
    """Everything that the saved completions of a run say; no policy is asked.

    `k` and `threshold` are those of the run unless given. `maj` votes on answers (`Group`, by the
    verifier of `definition`). `best_of` names what completions are ranked by: `logprob`, `logprob-mean`, a score of the
    verdicts, or a scorer (rlenv.scorers.load) that looks at them now. `by` names columns of the tasks.
    Raises RunError for what is no run, and ConfigError for a k, a column or a score that no completion has.
    """
    path = Path(folder)
    settings = _settings(path)
    episodes = list(read_episodes(path))
    env = settings.get("env") or ", ".join(dict.fromkeys(episode.env_id for episode in episodes))
    ks = sorted({*k} or {*cast("Sequence[int]", settings.get("k", [1]))})
    report = Report(str(env), str(settings.get("policy", path)), settings, ks, threshold).add(episodes)
    report.spent = spent_lines(path) if path.is_dir() else []
    groups = grouped(episodes, report.threshold)
    most = max((len(group.judged) for group in groups), default=0)
    if not ks or ks[0] < 1 or ks[-1] > most:
        got = ", ".join(map(str, ks))
        raise ConfigError(f"expected k of 1 to {most}, the most completions that a problem has, got {got}; lower k")
    values, notes = _values(groups, ks, best_of)
    if maj:
        answers = answers_of(groups, _definition(settings) if definition is None else definition, report.threshold)
        notes.append(f"maj@k: {answers.note}")
        for size in ks:
            votes = ((own, sum(n for n, _ in own)) for own in answers.votes)
            values[f"maj@{size}"] = [maj_at_k(own, size) if size <= n <= EXACT_N else None for own, n in votes]
    paid = [reward for group in groups for reward in group.rewards]
    bounds = min([0.0, *paid]), max([1.0, *paid])
    columns = {column: _column(groups, column) for column in by}
    apart = {column: _apart(values, own, bounds) for column, own in columns.items()}
    tables = [_by_table(column, columns[column], own) for column, own in apart.items()]
    tables.append(_difficulty(groups))
    return RunReport(report, _estimates(values, range(len(groups)), bounds), apart, tuple(tables), tuple(notes))


def _settings(path: Path) -> dict[str, Json]:
    """Of an evaluation; none of a training run or a file of episodes."""
    run = SavedRun(path)
    try:
        return run.settings()
    except (RlenvError, NotADirectoryError):
        return {}


def _definition(settings: Mapping[str, Json]) -> Definition | None:
    """The run's environment; None where it cannot be made here, which the report says."""
    try:
        return saved_definition({"env": "", "env_kwargs": {}, **settings})
    except RlenvError:
        return None


def _values(groups: Sequence[Group], ks: Sequence[int], best_of: Sequence[str]) -> tuple[dict[str, Values], list[str]]:
    """Each metric's value of each problem, and what there is to say of them."""
    counts, notes = [group.count for group in groups], list[str]()
    values: dict[str, Values] = {}
    for k in ks:
        values[f"pass@{k}"] = [pass_at_k(n, c, k) if n >= k else None for n, c in counts]
    for k in ks:
        if k > 1:
            values[f"pass^{k}"] = [pass_hat_k(n, c, k) if n >= k else None for n, c in counts]
    n = max(n for n, _ in counts)
    values[f"average@{n}"] = [c / n if n else None for n, c in counts]
    values[REWARD] = [math.fsum(group.rewards) / len(group.judged) if group.judged else None for group in groups]
    for name in best_of:
        ranked = [[(score, float(ok)) for score, ok in own] for own in _scored(groups, name)]
        lost = sum(n for n, _ in counts) - sum(map(len, ranked))
        notes += [f"best-of-k by {name}: {lost} completions without this score are left out"] if lost else []
        for k in ks:
            values[f"best-of-{k} by {name}"] = [best_of_k(own, k) if len(own) >= k else None for own in ranked]
    return values, notes


def _scored(groups: Sequence[Group], name: str) -> list[list[tuple[float, bool]]]:
    """Of each problem, the completions that have this score: the score, and whether they pass."""
    pairs = (zip(own, group.passed, strict=True) for group, own in zip(groups, scores_of(groups, name), strict=True))
    return [[(score, ok) for score, ok in own if score is not None] for own in pairs]


def scores_of(groups: Sequence[Group], name: str) -> list[list[float | None]]:
    """The score of each judged completion, None where it has none. Raises ConfigError where no completion has it."""
    if name in (LOGPROB, LOGPROB_MEAN):
        scores = [[_logprob(e.completion, name == LOGPROB_MEAN) for e in group.judged] for group in groups]
        missing = "no log-probs are saved; a model of this process saves them, an endpoint with --set logprobs=true"
    elif any(name in e.verdict.scores for group in groups for e in group.judged):
        return [[e.verdict.scores.get(name) for e in group.judged] for group in groups]
    else:
        scores = _scored_now(groups, name)
        missing = f"the scorer {name} gave none"
    if not any(score is not None for own in scores for score in own):
        raise ConfigError(f"no completion has the score {name!r}: {missing}")
    return scores


def _logprob(completion: Completion, mean: bool) -> float | None:
    own = completion.logprobs
    if completion.mask:
        own = tuple(logprob for logprob, said in zip(own, completion.mask, strict=True) if said)
    if not own:
        return None
    return math.fsum(own) / len(own) if mean else math.fsum(own)


def _scored_now(groups: Sequence[Group], name: str) -> list[list[float | None]]:
    from rlenv.scorers.load import load_scorer

    saved = sorted({score for group in groups for e in group.judged for score in e.verdict.scores})
    if not any(mark in name for mark in (":", "/", "{")):
        raise ConfigError(
            f"no verdict has the score {name!r}; give one of {', '.join([LOGPROB, LOGPROB_MEAN, *saved])}, or a scorer "
            "as MODULE:FUNCTION, ./FOLDER or HUB/ID"
        )
    jobs = [(e.task, e.completion) for group in groups for e in group.judged]
    values = iter([score.value for score in load_scorer(name).score(jobs)])
    return [[next(values) for _ in group.judged] for group in groups]


def _estimates(values: Mapping[str, Values], places: Sequence[int], bounds: tuple[float, float]) -> dict[str, Estimate]:
    """Of the problems at these places; a metric that none of them has is left out. `bounds` are those of rewards."""
    estimates = {}
    for name, all_values in values.items():
        own = [value for place in places if (value := all_values[place]) is not None]
        if own:
            within = bounds if name == REWARD else (0.0, 1.0)
            estimates[name] = mean_interval(own, bounds=within, dropped=len(places) - len(own))
    return estimates


def _column(groups: Sequence[Group], column: str) -> list[str]:
    """The value of each task. Raises ConfigError where no task has the column."""
    if not any(column in group.task.metadata for group in groups):
        known = sorted({name for group in groups for name in group.task.metadata})
        raise ConfigError(
            f"no task has the column {column!r}; give one of {', '.join(known) or 'none: there are none'}"
        )
    return [shown_line(str(group.task.metadata.get(column, "none")), 40) for group in groups]


def _apart(
    values: Mapping[str, Values], column: Sequence[str], bounds: tuple[float, float]
) -> dict[str, dict[str, Estimate]]:
    return {
        value: _estimates(values, [place for place, own in enumerate(column) if own == value], bounds)
        for value in sorted(set(column), key=_by_number)
    }


def _by_number(value: str) -> tuple[int, float, str]:
    """Levels 2 and 10 in this order, before words."""
    try:
        return 0, float(value), value
    except ValueError:
        return 1, 0.0, value


def _by_table(column: str, values: Sequence[str], apart: Mapping[str, Mapping[str, Estimate]]) -> Table:
    names = list(dict.fromkeys(name for own in apart.values() for name in own))
    rows = [
        (value, str(values.count(value)), *(str(own[name]) if name in own else "-" for name in names))
        for value, own in apart.items()
    ]
    title = shown_line(column)
    return Table(f"By {title}", (title, "problems", *names), rows)


def _difficulty(groups: Sequence[Group]) -> Table:
    """How many problems are passed how often; those that are neither 0 nor 1 are what training learns from."""
    shares = [c / n for n, c in (group.count for group in groups) if n]
    bins = Counter(0 if s == 0 else 6 if s == 1 else min(5, 1 + int(s * 5 - 1e-9)) for s in shares)
    rows = [(name, str(bins[i]), "#" * round(40 * bins[i] / max(1, len(shares)))) for i, name in enumerate(DIFFICULTY)]
    return Table("Difficulty", ("pass rate", "problems", ""), rows)
