"""What a training run left, in one page: `report.md`, its plots (PNG: they open anywhere), how the reward went."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rlenv.comparison.difference import student_quantile
from rlenv.core.errors import MissingExtra
from rlenv.door.reading import as_written, json_object
from rlenv.policies.ledger import spent_lines
from rlenv.store.files import replace_text, replacing
from rlenv.store.saved_episodes import SavedEpisodes
from rlenv.text.escaping import shown_cell, shown_line
from rlenv.trainers.records.logs import PAGE, Alarm, read_alarms, read_metrics
from rlenv.trainers.records.runfolder import read_evidence
from rlenv.turns.live import turn_lines
from rlenv.view import ViewedRun, saved_run, write_after

FEWEST = 10
"""Rollouts below which nothing is said."""
LEAST = 5
"""Rollouts of a tenth, at least: of fewer nobody knows how far they scatter."""
SOLVED = 0.95
"""A mean reward from which on a task is solved: what is right is paid 1."""
LEVEL = 0.05
"""Of the intervals: they hold the mean in 95 of 100 runs."""


def outcome(metrics: Sequence[Mapping[str, float]]) -> str:
    """A sentence on the mean reward in the last tenth of the rollouts beside the first; "" where they are too few.

    It rose or fell where the 95 % interval of the difference (Student's t, Welch's degrees of freedom) leaves out 0.

    >>> outcome([{"reward": 0.1 + 0.01 * (i % 2)} for i in range(20)])
    'the reward did not rise: 0.104 +- 0.0068 in the first 5 rollouts, 0.106 +- 0.0068 in the last 5; see docs/my_task_does_not_learn.md'
    >>> outcome([{"reward": 0.1 + 0.01 * i} for i in range(20)])
    'the reward rose: 0.12 +- 0.02 in the first 5 rollouts, 0.27 +- 0.02 in the last 5'
    """  # noqa: E501
    rewards = [row["reward"] for row in metrics if "reward" in row]
    if len(rewards) < FEWEST:
        return ""
    count = max(LEAST, len(rewards) // 10)
    first, last = rewards[:count], rewards[-count:]
    change, reach = statistics.fmean(last) - statistics.fmean(first), _reach(first, last)
    told = f"{_mean(first)} in the first {count} rollouts, {_mean(last)} in the last {count}"
    if change < -reach:
        return f"the reward fell: {told}; see {PAGE}"
    if statistics.fmean(last) >= SOLVED:
        return f"solved: reward {told}"
    return f"the reward rose: {told}" if change > reach else f"the reward did not rise: {told}; see {PAGE}"


def _reach(*samples: Sequence[float]) -> float:
    """Half the width of the interval of the mean, or of the difference of two means, of as many rollouts each."""
    count = len(samples[0])
    variances = [statistics.variance(sample) / count for sample in samples]
    if not sum(variances):
        return 0.0
    freedom = sum(variances) ** 2 / sum(variance**2 / (count - 1) for variance in variances)
    return student_quantile(LEVEL, freedom) * math.sqrt(sum(variances))


def _mean(sample: Sequence[float]) -> str:
    return f"{statistics.fmean(sample):.3g} +- {_reach(sample):.2g}"


def reward_curve(axes: Any, steps: Sequence[float], rewards: Sequence[float], label: str | None = None) -> None:
    """The reward of each rollout, faint, and its running mean over a twentieth of the run."""
    width = max(1, len(rewards) // 20)
    smooth = np.convolve(rewards, np.ones(width) / width, mode="valid") if rewards else np.zeros(0)
    (drawn,) = axes.plot(steps[width - 1 :], smooth, label=label)
    axes.plot(steps, rewards, alpha=0.25, color=drawn.get_color())
    axes.set_xlabel("rollout")
    axes.set_ylabel("mean reward")
    axes.set_ylim(-0.02, 1.02)


def plot_run(metrics: Sequence[Mapping[str, float]], path: Path, alarms: Sequence[Alarm] = ()) -> None:
    """Reward, length and entropy of a run over its rollouts; a dotted line where each rule first raised an alarm."""
    figure, axes = _figure(3)
    reward_curve(axes[0], [m["step"] for m in metrics], [m.get("reward", np.nan) for m in metrics])
    for place, name in ((1, "completions/mean_length"), (2, "entropy")):
        _curves(axes[place], metrics, {name: name})
        axes[place].set_ylabel(name)
    for axis in axes:
        _alarm_marks(axis, alarms)
    _save(figure, path)


def plot_watched(metrics: Sequence[Mapping[str, float]], path: Path, alarms: Sequence[Alarm] = ()) -> bool:
    """The reward beside the gold, of each environment, its parts, and the flags; False, and no plot, without any."""
    names = dict.fromkeys(name for m in metrics for name in m)
    parts = {name: name.split("/")[1] for name in names if name.startswith("rewards/") and name.endswith("/mean")}
    environments = {name: name[len("env/") : -len("/reward")] for name in names if of_environment(name)}
    flags = {name: name.removeprefix("flags/") for name in names if name.startswith("flags/")}
    gold = {"gold/reward": "gold"} if "gold/reward" in names else {}
    shown = [
        ("reward", gold and {"reward": "reward", **gold}),
        ("reward of each environment", environments),
        ("part of the reward", parts if len(parts) > 1 else {}),
        ("episodes with the flag", flags),
    ]
    panels = [(label, curves) for label, curves in shown if curves]
    if not panels:
        return False
    figure, axes = _figure(len(panels))
    for axis, (label, curves) in zip(np.atleast_1d(axes), panels, strict=True):
        _curves(axis, metrics, curves)
        axis.set_ylabel(label)
        axis.legend(fontsize="small")
        _alarm_marks(axis, alarms)
    _save(figure, path)
    return True


def of_environment(name: str) -> bool:
    """Whether a metric is the reward of one environment of a mixture: env/math/arithmetic-v0/reward."""
    return name.startswith("env/") and name.endswith("/reward")


def _curves(axes: Any, metrics: Sequence[Mapping[str, float]], names: Mapping[str, str]) -> None:
    """Metrics over the rollouts; what was measured now and then is joined across the gaps, but no flag is none."""
    for name, label in names.items():
        known = [(m["step"], m.get(name, 0.0)) for m in metrics if name in m or name.startswith("flags/")]
        axes.plot([step for step, _ in known], [value for _, value in known], label=label)
    axes.set_xlabel("rollout")


def _alarm_marks(axes: Any, alarms: Sequence[Alarm]) -> None:
    first = {alarm.name: alarm for alarm in reversed(alarms)}
    for alarm in first.values():
        axes.axvline(alarm.step, color="tab:red", linestyle=":", linewidth=1)
        axes.annotate(
            alarm.name, (alarm.step, 0.02), xycoords=("data", "axes fraction"), rotation=90, fontsize="x-small"
        )


def plot_comparison(
    metrics: Sequence[Mapping[str, float]],
    pass_at_k: Mapping[str, Mapping[int, tuple[float, float, float]]],
    path: Path,
) -> None:
    """The reward of a run beside pass@k of several policies: name -> k -> (estimate, low, high)."""
    figure, axes = _figure(2)
    reward_curve(axes[0], [m["step"] for m in metrics], [m["reward"] for m in metrics])
    width = 0.8 / len(pass_at_k)
    for place, (name, estimates) in enumerate(pass_at_k.items()):
        values = np.array([estimates[k] for k in sorted(estimates)])
        positions = np.arange(len(values)) + place * width
        spread = [values[:, 0] - values[:, 1], values[:, 2] - values[:, 0]]
        axes[1].bar(positions, values[:, 0], width, yerr=spread, capsize=3, label=name)
        axes[1].set_xticks(np.arange(len(values)) + 0.4 - width / 2, [f"pass@{k}" for k in sorted(estimates)])
    axes[1].set_ylim(0, 1.02)
    axes[1].set_ylabel("share of held-out tasks, 95 % interval")
    axes[1].legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(pass_at_k), fontsize="small", frameon=False)
    _save(figure, path)


def _figure(columns: int) -> tuple[Any, Any]:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib", "train") from error
    figure = Figure(figsize=(4.6 * columns, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, columns)


def _save(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, "wb") as file:
        figure.savefig(file, dpi=120, format="png")


SHOWN = (
    "reward",
    "frac_reward_zero_std",
    "completions/mean_length",
    "completions/clipped_ratio",
    "turns/mean",
    "entropy",
    "kl",
    "critic/explained_variance",
    "verifier_errors",
    "skipped_steps",
    "gold/reward",
    "step_time",
)


LAST, JUDGED = 5, 200
"""How many of the last completions are listed, and how many characters of what was judged of each."""
ASKED = "What the watch found of the reward"
"""Stands above what `read_evidence` gives."""


def write_report(folder: Path) -> Path:
    """Write report.md, reward.png and, for a run that was watched, watched.png; returns the report's path.

    Raises RunError where the folder does not hold what a training writes.
    """
    with as_written(folder):
        metrics, alarms = read_metrics(folder / "metrics.jsonl"), read_alarms(folder)
        config: dict[str, Any] = dict(json_object(folder / "config.json"))
        evidence, became = [shown_line(f"- {line}") for line in read_evidence(folder)], _outcome(folder)
        plot_run(metrics, folder / "reward.png", alarms)
        watched = plot_watched(metrics, folder / "watched.png", alarms)
        lines = [
            shown_line(f"# {config['row']['name']} on {config['env']}"),
            "",
            *([f"## {ASKED}", "", *evidence, ""] if evidence else []),
            f"{len(metrics)} rollouts of {config['groups']} prompts with {config['group_size']} completions, "
            f"seed {config['seed']}.",
            "",
            *_metric_lines(metrics),
            "",
            *(f"- {fact}" for fact in spent_lines(folder)),
            "",
            *([f"{became}.", ""] if became else []),
            *("![reward](reward.png)", ""),
            *(["![gold, environments, parts and flags](watched.png)", ""] if watched else []),
        ]
        path = folder / "report.md"
        replace_text(path, "\n".join([*lines, *_judged_lines(SavedEpisodes(folder)), *_alarm_lines(alarms)]))
        return path


def _metric_lines(metrics: Sequence[Mapping[str, float]]) -> Iterator[str]:
    """The table of what was measured."""
    yield "A metric's columns are means over the first and the last tenth of its measurements, and over one at least."
    yield from ("", "| metric | measurements | first tenth | last tenth |", "|---|---|---|---|")
    for name in (*SHOWN, *dict.fromkeys(name for m in metrics for name in m if of_environment(name))):
        if values := [m[name] for m in metrics if name in m]:
            tenth = max(1, len(values) // 10)
            first, last = np.mean(values[:tenth]), np.mean(values[-tenth:])
            yield f"| {shown_cell(name)} | {len(values)} | {first:.4g} | {last:.4g} |"


def write_pages(folder: Path, *, shown: bool = False) -> list[str]:
    """Write report.md and report.html of a run that has ended; returns what there is to say of it, a line each.

    Holes of the reward are left out that were alarms of the run, where those were `shown` as they came.
    """
    report = write_report(folder)
    alarms = {opening(alarm.message) for alarm in read_alarms(folder)} if shown else set()
    evidence = [line for line in read_evidence(folder) if opening(line) not in alarms]
    became = _outcome(folder)
    return [
        *([f"{ASKED[0].lower()}{ASKED[1:]}:", *evidence] if evidence else []),
        *([became] if became else []),
        f"report: {report}",
        write_after(folder, lambda: viewed(folder)),
        f"model:  {folder / 'model'}",
    ]


def opening(told: str) -> str:
    """What stands before the completion and the counts in a sentence on a hole of the reward."""
    return told.partition(": ")[0]


def _outcome(folder: Path) -> str:
    """What became of the reward, as a sentence; a sampler that follows pass rates keeps it where it is."""
    config = json_object(folder / "config.json")
    return outcome(read_metrics(folder / "metrics.jsonl")) if config["sampler"] == "uniform" else ""


def _judged_lines(episodes: SavedEpisodes) -> list[str]:
    """The section on the run's last completions; empty for a branch that trains on what it was given."""
    last = episodes.last(LAST) if episodes.path.exists() else []
    if not last:
        return []
    rows = []
    for episode in last:
        verdict, said = episode.verdict, episode.completion.content.text
        judged = said if verdict.answer is None else episode.answer_text  # what the verifier read, else all of it
        paid = "verifier error" if verdict.reward is None else f"{verdict.reward:g}"
        answer, reason = shown_cell(judged[:JUDGED]), shown_cell(verdict.reason[:JUDGED])
        rows.append(f"| {shown_cell(episode.task.id)} | {paid} | {answer} | {reason} |")
    table = ["## The last completions", "", "| task | reward | judged | reason |", "|---|---|---|---|", *rows, ""]
    turns = turn_lines(last[-1].completion)
    return [*table, "The last of them, turn by turn:", "", *(f"- {turn}" for turn in turns), ""] if turns else table


def _alarm_lines(alarms: Sequence[Alarm]) -> list[str]:
    """The section on what the monitors said; empty where they said nothing."""
    if not alarms:
        return []
    rows = [
        f"| {a.step} | {shown_cell(a.name)} | {a.value:.3g} | {a.threshold:.3g} | {shown_cell(a.message)}"
        + (" **The run ended here.** |" if a.stop else " |")
        for a in alarms
    ]
    return [
        "## Alarms",
        "",
        "| rollout | rule | value | threshold | what was seen |",
        "|---|---|---|---|---|",
        *rows,
        "",
    ]


def viewed(folder: Path) -> ViewedRun:
    """The run of a training in this folder, as far as it has come."""
    metrics = folder / "metrics.jsonl"
    return saved_run(
        folder,
        metrics=read_metrics(metrics) if metrics.exists() else (),
        alarms=[alarm.to_json() for alarm in read_alarms(folder)],
    )
