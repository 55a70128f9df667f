"""`rlenv report RUN`: estimates, the same by a column, scorers, difficulty, costs, contamination.

Nothing is sampled: every estimate is the exact mean over subsets of the completions that are saved
(rlenv.evaluation.passk, rlenv.evaluation.voting), with its 95 % interval over problems.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast

from rlenv.analysis.answers import Group, answers_of, grouped
from rlenv.analysis.contamination import WORDS, overlapping, training_texts
from rlenv.analysis.costs import cost_rows, price_of
from rlenv.analysis.scores import calibration, scores_of
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, RlenvError
from rlenv.core.jsontypes import Json
from rlenv.core.task import prompt_text
from rlenv.evaluation.passk import Estimate, mean_interval, pass_at_k, pass_hat_k
from rlenv.evaluation.report import Report, Table
from rlenv.evaluation.rescoring import saved_definition
from rlenv.evaluation.savedrun import SavedRun
from rlenv.evaluation.voting import EXACT_N, best_of_k, maj_at_k
from rlenv.store.saved_episodes import read_episodes
from rlenv.text.escaping import shown_line

CONTAMINATED = "contaminated"
"""The column that says whether a task stands in the training file."""
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
    calibrate: Sequence[str] = (),
    train: str | Path | None = None,
    prices: str | Path | None = None,
    threshold: float | None = None,
    definition: Definition | None = None,
) -> RunReport:
    """Everything that the saved completions of a run say; no policy is asked.

    `k` and `threshold` are those of the run unless given. `maj` votes on answers (rlenv.analysis.answers, by the
    verifier of `definition`), `best_of` names what completions are ranked by and `calibrate` what is held against
    passing (rlenv.analysis.scores). `by` names columns of the tasks. `train` is a file of training data whose overlap
    with the tasks is looked for, `prices` one of prices (rlenv.analysis.costs).
    Raises RunError for what is no run, and ConfigError for a k, a column or a score that no completion has.
    """
    path = Path(folder)
    settings, usage = _settings(path)
    episodes = list(read_episodes(path))
    env = settings.get("env") or ", ".join(dict.fromkeys(episode.env_id for episode in episodes))
    ks = sorted({*k} or {*cast("Sequence[int]", settings.get("k", [1]))})
    report = Report(str(env), str(settings.get("policy", path)), settings, ks, threshold).add(episodes)
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
    if train is not None:
        overlaps = overlapping([prompt_text(group.task.prompt) for group in groups], training_texts(Path(train)))
        columns[CONTAMINATED] = [{True: "yes", False: "no", None: "too short"}[one] for one in overlaps]
    apart = {column: _apart(values, own, bounds) for column, own in columns.items()}
    tables = [_by_table(column, columns[column], own, train) for column, own in apart.items()]
    tables += [_calibration_table(groups, name) for name in calibrate]
    tables.append(_difficulty(groups))
    if usage:
        tables.append(_cost_table(usage, report, prices))
    elif prices is not None:
        raise ConfigError(f"{path} has no usage.jsonl to price; evaluate again, with a server that says its tokens")
    return RunReport(report, _estimates(values, range(len(groups)), bounds), apart, tuple(tables), tuple(notes))


def _settings(path: Path) -> tuple[dict[str, Json], list[dict[str, float]]]:
    """Of an evaluation; none of a training run or a file of episodes."""
    run = SavedRun(path)
    try:
        return run.settings(), run.usage()
    except (RlenvError, NotADirectoryError):
        return {}, []


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


def _by_table(
    column: str, values: Sequence[str], apart: Mapping[str, Mapping[str, Estimate]], train: str | Path | None
) -> Table:
    names = list(dict.fromkeys(name for own in apart.values() for name in own))
    rows = [
        (value, str(values.count(value)), *(str(own[name]) if name in own else "-" for name in names))
        for value, own in apart.items()
    ]
    note = f"yes: {WORDS} words in a row, or all of a shorter task, stand in {shown_line(str(train))}"
    title = shown_line(column)
    return Table(f"By {title}", (title, "problems", *names), rows, (note,) if column == CONTAMINATED else ())


def _calibration_table(groups: Sequence[Group], name: str) -> Table:
    scores, passed = zip(*(pair for own in _scored(groups, name) for pair in own), strict=True)
    made = calibration(scores, passed)
    rows = [(f"{b.low:g} to {b.high:g}", str(b.completions), f"{b.mean:.3f}", f"{b.passed:.3f}") for b in made.bins]
    notes = ["AUROC: " + ("none: all pass, or none does" if made.auroc is None else f"{made.auroc:.4f}")]
    if made.ece is None or made.brier is None:
        notes.append("scores outside [0, 1] are no probabilities: they are not held against pass rates")
    else:
        notes.append(f"expected calibration error {made.ece:.4f}, Brier score {made.brier:.4f}")
    return Table(f"Calibration of {shown_line(name)}", ("score", "completions", "mean score", "pass rate"), rows, notes)


def _difficulty(groups: Sequence[Group]) -> Table:
    """How many problems are passed how often; those that are neither 0 nor 1 are what training learns from."""
    shares = [c / n for n, c in (group.count for group in groups) if n]
    bins = Counter(0 if s == 0 else 6 if s == 1 else min(5, 1 + int(s * 5 - 1e-9)) for s in shares)
    rows = [(name, str(bins[i]), "#" * round(40 * bins[i] / max(1, len(shares)))) for i, name in enumerate(DIFFICULTY)]
    return Table("Difficulty", ("pass rate", "problems", ""), rows)


def _cost_table(usage: Sequence[Mapping[str, float]], report: Report, prices: str | Path | None) -> Table:
    price = None if prices is None else price_of(Path(prices), report.policy)
    rows = cost_rows(usage, len(report.problems), report.estimate(1), price)
    note = "seconds are those of requests, side by side ones added up; a point is 1 % of pass@1"
    return Table("Cost", ("what", "in all", "a task", "a point"), rows, (note,))
