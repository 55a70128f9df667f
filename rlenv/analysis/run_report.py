"""The tables of `rlenv report RUN`: estimates, the same by a column, scorers, difficulty, costs, contamination.

Nothing is sampled: every estimate is the exact mean over subsets of the completions that are saved
(rlenv.evaluation.passk, rlenv.evaluation.voting), with its 95 % interval over problems.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from rlenv.analysis.answers import answers_of
from rlenv.analysis.contamination import WORDS, overlapping, training_texts
from rlenv.analysis.costs import cost_rows, price_of
from rlenv.analysis.groups import Group, grouped, rewards
from rlenv.analysis.scores import calibration, scores_of
from rlenv.core.definition import Definition
from rlenv.core.episode import read_episodes
from rlenv.core.errors import ConfigError, RlenvError
from rlenv.core.jsontypes import Json
from rlenv.core.task import prompt_text
from rlenv.env.admission import admitted, without_source
from rlenv.env.registry import load_for_row
from rlenv.evaluation.passk import Estimate, mean_interval, pass_at_k, pass_hat_k
from rlenv.evaluation.report import Report, Tally
from rlenv.evaluation.savedrun import SavedRun
from rlenv.evaluation.voting import EXACT_N, best_of_k, maj_at_k
from rlenv.text.escaping import shown_cell, shown_line

CONTAMINATED = "contaminated"
"""The column that says whether a task stands in the training file."""
_Values = list[float | None]
"""Of each problem; None where it has too few completions."""


class Table(NamedTuple):
    """One table of a report, and what there is to say of it."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        cells = [self.head, *self.rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.head))]
        lines = ["  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells]
        return "\n".join([f"{self.title}:", *lines, *(f"  {note}" for note in self.notes)])

    def markdown(self) -> str:
        lines = [f"## {self.title}", "", f"| {' | '.join(self.head)} |", "|" + "---|" * len(self.head)]
        lines += [f"| {' | '.join(map(shown_cell, row))} |" for row in self.rows]
        return "\n".join([*lines, "", *(f"- {note}" for note in self.notes), ""])


@dataclass(frozen=True)
class RunReport:
    """The report of a saved run and the tables that were asked for."""

    report: Report
    estimates: Mapping[str, Estimate]
    """By name: `pass@8`, `maj@8`, `best-of-8 by logprob`, `average@8`."""
    by: Mapping[str, Mapping[str, Mapping[str, Estimate]]]
    """By column, value and name."""
    tables: tuple[Table, ...]

    def __str__(self) -> str:
        return "\n\n".join(map(str, (self.report, *self.tables)))

    def markdown(self) -> str:
        return "\n".join([self.report.markdown(), *(table.markdown() for table in self.tables)])


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
    passing = cast("float", settings.get("threshold", 1.0)) if threshold is None else threshold
    episodes = list(read_episodes(path))
    tally = Tally(passing)
    tally.add(episodes)
    groups = grouped(episodes, passing)
    most = max((len(group.judged) for group in groups), default=0)
    ks = sorted({*k} or {*cast("Sequence[int]", settings.get("k", [1]))})
    if not ks or ks[0] < 1 or ks[-1] > most:
        got = ", ".join(map(str, ks))
        raise ConfigError(f"expected k of 1 to {most}, the most completions that a problem has, got {got}; lower k")
    env = settings.get("env") or ", ".join(dict.fromkeys(episode.env_id for episode in episodes))
    report = tally.report(str(env), str(settings.get("policy", path)), ks, settings)
    if maj and definition is None:
        definition = _definition(settings)
    values, notes = _values(groups, ks, maj, best_of, definition, passing)
    bounds = {"reward": _bounds(groups)}
    estimates = _estimates(values, range(len(groups)), bounds)
    columns = {column: _column(groups, column) for column in by}
    if train is not None:
        found = overlapping([prompt_text(group.task.prompt) for group in groups], training_texts(Path(train)))
        columns[CONTAMINATED] = [{True: "yes", False: "no", None: "too short"}[one] for one in found]
    apart = {column: _apart(values, own, bounds) for column, own in columns.items()}
    tables = [_table("Over all problems", estimates, notes)]
    tables += [_by_table(column, columns[column], found, train) for column, found in apart.items()]
    tables += [_calibration_table(groups, name) for name in calibrate]
    tables.append(_difficulty(groups))
    if usage:
        price = None if prices is None else price_of(Path(prices), str(settings.get("policy", "")))
        first = report.pass_at.get(1)
        cost = cost_rows(usage, len(groups), None if first is None else first.value, price)
        note = "seconds are those of requests, side by side ones added up; a point is 1 % of pass@1"
        tables.append(Table("Cost", ("what", "in all", "a task", "a point"), cost, (note,)))
    elif prices is not None:
        raise ConfigError(f"{path} has no usage.jsonl to price; evaluate again, with a server that says its tokens")
    return RunReport(report, estimates, apart, tuple(tables))


def _settings(path: Path) -> tuple[dict[str, Json], list[dict[str, float]]]:
    """Of an evaluation; none of a training run or a file of episodes."""
    run = SavedRun(path)
    try:
        return run.settings(), run.usage()
    except (RlenvError, NotADirectoryError):
        return {}, []


def _definition(settings: Mapping[str, Json]) -> Definition | None:
    """The run's environment; None where it cannot be made here, which the report says."""
    id, kwargs = str(settings.get("env", "")), cast("dict[str, Json]", settings.get("env_kwargs", {}))
    try:
        return load_for_row(id, **admitted(id, without_source(kwargs)))
    except RlenvError:
        return None


def _values(
    groups: Sequence[Group],
    ks: Sequence[int],
    maj: bool,
    best_of: Sequence[str],
    definition: Definition | None,
    threshold: float,
) -> tuple[dict[str, _Values], list[str]]:
    """Each metric's value of each problem, and what there is to say of them."""
    counts, notes = [group.count for group in groups], list[str]()
    found: dict[str, _Values] = {}
    for k in ks:
        found[f"pass@{k}"] = [pass_at_k(n, c, k) if n >= k else None for n, c in counts]
    for k in ks:
        if k > 1:
            found[f"pass^{k}"] = [pass_hat_k(n, c, k) if n >= k else None for n, c in counts]
    if maj:
        answers = answers_of(groups, definition, threshold)
        notes.append(f"maj@k: {answers.note}")
        for k in ks:
            found[f"maj@{k}"] = [
                maj_at_k(own, k) if k <= sum(v for v, _ in own) <= EXACT_N else None for own in answers.votes
            ]
    for name in best_of:
        scores = scores_of(groups, name)
        ranked = [
            [(score, float(ok)) for score, ok in zip(own, group.passed, strict=True) if score is not None]
            for group, own in zip(groups, scores, strict=True)
        ]
        lost = sum(len(group.judged) for group in groups) - sum(map(len, ranked))
        notes += [f"best-of-k by {name}: {lost} completions without this score are left out"] if lost else []
        for k in ks:
            found[f"best-of-{k} by {name}"] = [best_of_k(own, k) if len(own) >= k else None for own in ranked]
    n = max(n for n, _ in counts)
    found[f"average@{n}"] = [c / n if n else None for n, c in counts]
    found["reward"] = [math.fsum(own) / len(own) if (own := rewards([group])) else None for group in groups]
    return found, notes


def _bounds(groups: Sequence[Group]) -> tuple[float, float]:
    paid = rewards(groups)
    return min([0.0, *paid]), max([1.0, *paid])


def _estimates(
    values: Mapping[str, _Values], places: Sequence[int], bounds: Mapping[str, tuple[float, float]]
) -> dict[str, Estimate]:
    """Of the problems at these places; a metric that none of them has is left out."""
    found = {}
    for name, all_values in values.items():
        own = [value for place in places if (value := all_values[place]) is not None]
        if own:
            found[name] = mean_interval(own, bounds=bounds.get(name, (0.0, 1.0)), dropped=len(places) - len(own))
    return found


def _column(groups: Sequence[Group], column: str) -> list[str]:
    """The value of each task. Raises ConfigError where no task has the column."""
    if not any(column in group.task.metadata for group in groups):
        known = sorted({name for group in groups for name in group.task.metadata})
        raise ConfigError(
            f"no task has the column {column!r}; give one of {', '.join(known) or 'none: there are none'}"
        )
    return [shown_line(str(group.task.metadata.get(column, "none")), 40) for group in groups]


def _apart(
    values: Mapping[str, _Values], column: Sequence[str], bounds: Mapping[str, tuple[float, float]]
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


def _table(title: str, estimates: Mapping[str, Estimate], notes: Sequence[str]) -> Table:
    rows = [
        (name, f"{e.value:.4f}", f"[{e.low:.4f}, {e.high:.4f}]", str(e.problems), str(e.dropped), e.method)
        for name, e in estimates.items()
    ]
    head = ("metric", "value", "95 % interval", "problems", "left out", "interval by")
    told = (
        [*notes, "left out: problems with too few completions"] if any(e.dropped for e in estimates.values()) else notes
    )
    return Table(title, head, rows, told)


def _by_table(
    column: str, values: Sequence[str], found: Mapping[str, Mapping[str, Estimate]], train: str | Path | None
) -> Table:
    names = list(dict.fromkeys(name for own in found.values() for name in own))
    counts = Counter(values)
    rows = [
        (
            value,
            str(counts[value]),
            *(
                f"{own[name].value:.3f} [{own[name].low:.3f}, {own[name].high:.3f}]" if name in own else "-"
                for name in names
            ),
        )
        for value, own in found.items()
    ]
    notes: tuple[str, ...] = ()
    if column == CONTAMINATED:
        notes = (f"yes: {WORDS} words in a row, or all of a shorter task, stand in {shown_line(str(train))}",)
    return Table(f"By {shown_line(column)}", (shown_line(column), "problems", *names), rows, notes)


def _calibration_table(groups: Sequence[Group], name: str) -> Table:
    pairs = [
        (score, ok)
        for group, own in zip(groups, scores_of(groups, name), strict=True)
        for score, ok in zip(own, group.passed, strict=True)
        if score is not None
    ]
    found = calibration([score for score, _ in pairs], [ok for _, ok in pairs])
    rows = [(f"{b.low:g} to {b.high:g}", str(b.completions), f"{b.mean:.3f}", f"{b.passed:.3f}") for b in found.bins]
    notes = ["AUROC: " + ("none: all pass, or none does" if found.auroc is None else f"{found.auroc:.4f}")]
    if found.ece is None or found.brier is None:
        notes.append("scores outside [0, 1] are no probabilities: they are not held against pass rates")
    else:
        notes.append(f"expected calibration error {found.ece:.4f}, Brier score {found.brier:.4f}")
    return Table(f"Calibration of {shown_line(name)}", ("score", "completions", "mean score", "pass rate"), rows, notes)


def _difficulty(groups: Sequence[Group]) -> Table:
    """How many problems are passed how often; those that are neither 0 nor 1 are what training learns from."""
    shares = [c / n for n, c in (group.count for group in groups) if n]
    labels = ["0", *(f"up to {place / 5:g}" for place in range(1, 5)), "below 1", "1"]
    counted = Counter(0 if s == 0 else 6 if s == 1 else min(5, 1 + int(s * 5 - 1e-9)) for s in shares)
    rows = [(labels[i], str(counted[i]), "#" * round(40 * counted[i] / max(1, len(shares)))) for i in range(7)]
    return Table("Difficulty", ("pass rate", "problems", ""), rows)
