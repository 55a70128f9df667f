"""What a training run left, in one page: `report.md` and its plots in its folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rlenv.core.episode import Episode
from rlenv.door.reading import as_written, json_object
from rlenv.store.files import replace_text
from rlenv.store.saved_episodes import SavedEpisodes
from rlenv.text.escaping import shown_cell, shown_line
from rlenv.trainers.records.logs import Alarm, read_alarms, read_metrics
from rlenv.trainers.records.plots import of_environment, plot_run, plot_watched
from rlenv.trainers.records.risen import not_risen
from rlenv.trainers.records.runfolder import read_evidence
from rlenv.turns.live import turn_lines
from rlenv.view import ViewedRun, saved_run, write_after

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
        return _write_report(folder)


def _write_report(folder: Path) -> Path:
    metrics = read_metrics(folder / "metrics.jsonl")
    config: dict[str, Any] = dict(json_object(folder / "config.json"))
    alarms = read_alarms(folder)
    plot_run(metrics, folder / "reward.png", alarms)
    lines = [
        shown_line(f"# {config['row']['name']} on {config['env']}"),
        "",
        *_evidence_lines(folder),
        f"{len(metrics)} rollouts of {config['groups']} prompts with {config['group_size']} completions, "
        f"seed {config['seed']}.",
        "",
        "A metric's columns are means over the first and the last tenth of its measurements, and over one at least.",
        "",
        "| metric | measurements | first tenth | last tenth |",
        "|---|---|---|---|",
    ]
    for name in (*SHOWN, *dict.fromkeys(name for m in metrics for name in m if of_environment(name))):
        values = [m[name] for m in metrics if name in m]
        if values:
            tenth = max(1, len(values) // 10)
            first, last = np.mean(values[:tenth]), np.mean(values[-tenth:])
            lines.append(f"| {shown_cell(name)} | {len(values)} | {first:.4g} | {last:.4g} |")
    flat = _flat(folder)
    lines += ["", *([f"{flat}.", ""] if flat else []), "![reward](reward.png)", ""]
    if plot_watched(metrics, folder / "watched.png", alarms):
        lines += ["![gold, environments, parts and flags](watched.png)", ""]
    path = folder / "report.md"
    replace_text(path, "\n".join([*lines, *_judged_lines(SavedEpisodes(folder)), *_alarm_lines(alarms)]))
    return path


def write_pages(folder: Path) -> list[str]:
    """Write report.md and report.html of a run that has ended; returns what there is to say of it, a line each."""
    report = write_report(folder)
    evidence = read_evidence(folder)
    flat = _flat(folder)
    return [
        *([f"{ASKED[0].lower()}{ASKED[1:]}:", *evidence] if evidence else []),
        *([flat] if flat else []),
        f"report: {report}",
        write_after(folder, lambda: viewed(folder)),
        f"model:  {folder / 'model'}",
    ]


def _evidence_lines(folder: Path) -> list[str]:
    """The section on what was found of the reward; empty where nobody watched."""
    evidence = [shown_line(f"- {line}") for line in read_evidence(folder)]
    return [f"## {ASKED}", "", *evidence, ""] if evidence else []


def _flat(folder: Path) -> str:
    """Whether the reward did not rise, as a sentence; a sampler that follows pass rates keeps it where it is."""
    config = json_object(folder / "config.json")
    return not_risen(read_metrics(folder / "metrics.jsonl")) if config["sampler"] == "uniform" else ""


def _judged_lines(episodes: SavedEpisodes) -> list[str]:
    """The section on the run's last completions; empty for a branch that trains on what it was given."""
    last = episodes.last(LAST) if episodes.path.exists() else []
    if not last:
        return []
    rows = [
        f"| {shown_cell(e.task.id)} | {_paid(e.verdict.reward)} | {shown_cell(_judged(e)[:JUDGED])} "
        f"| {shown_cell(e.verdict.reason[:JUDGED])} |"
        for e in last
    ]
    table = ["## The last completions", "", "| task | reward | judged | reason |", "|---|---|---|---|", *rows, ""]
    turns = turn_lines(last[-1].completion)
    return [*table, "The last of them, turn by turn:", "", *(f"- {turn}" for turn in turns), ""] if turns else table


def _judged(episode: Episode) -> str:
    """The answer that the verifier read; where it names none, all that was said."""
    return episode.answer_text if episode.verdict.answer is not None else episode.completion.content.text


def _paid(reward: float | None) -> str:
    return "verifier error" if reward is None else f"{reward:g}"


def _alarm_lines(alarms: Sequence[Alarm]) -> list[str]:
    """The section on what the monitors said; empty where they said nothing."""
    if not alarms:
        return []
    rows = [f"| {a.step} | {shown_cell(a.name)} | {a.value:.3g} | {a.threshold:.3g} | {_told(a)} |" for a in alarms]
    return [
        "## Alarms",
        "",
        "| rollout | rule | value | threshold | what was seen |",
        "|---|---|---|---|---|",
        *rows,
        "",
    ]


def _told(alarm: Alarm) -> str:
    text = shown_cell(alarm.message)
    return f"{text} **The run ended here.**" if alarm.stop else text


def viewed(folder: Path) -> ViewedRun:
    """The run of a training in this folder, as far as it has come."""
    metrics = folder / "metrics.jsonl"
    return saved_run(
        folder,
        metrics=read_metrics(metrics) if metrics.exists() else (),
        alarms=[alarm.to_json() for alarm in read_alarms(folder)],
    )
