"""The table and the plot of benchmarks/process_rewards.py, from its results."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

PAGE = "process.md"
FROM, TO = "<!-- benchmarks/process_rewards.py writes from here -->", "<!-- to here -->"
IMAGE = "process-rewards.png"
SMOOTHED = 3
"""Looks of which the mean makes a point of the curve that `episodes to` is read from."""
BASELINES = {"reinforce++": "outcome, reinforce++"}
"""Whose final accuracy is the goal; for arms of PPO the outcome reward with PPO."""

Result = dict[str, Any]


def table(results: Sequence[Result]) -> str:
    """One line an arm and seed."""
    heads = ["reward", "seed", "accuracy before", "after", "own reward, first and last", "episodes to", "ratio"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for result in results:
        needed = episodes_to_goal(result, results)
        ratio = "-" if needed is None else f"{needed / result['curve'][-1][0]:.2f}"
        first, last = result["curve"][1][2], result["curve"][-1][2]
        cells = [
            result["arm"],
            str(result["seed"]),
            f"{result['before']:.3f}",
            f"{result['after']:.3f}",
            f"{first:.2f}, {last:.2f}",
            "never" if needed is None else f"{needed:,}",
            ratio,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def episodes_to_goal(result: Result, results: Sequence[Result]) -> int | None:
    """The first episode count at which the smoothed curve is at the goal of its seed; None where it never is."""
    goal_arm = next((goal for ending, goal in BASELINES.items() if result["arm"].endswith(ending)), "outcome")
    goal = [r for r in results if (r["arm"], r["seed"]) == (goal_arm, result["seed"])]
    if not goal:
        return None
    episodes, values = smoothed(result)
    return next((e for e, v in zip(episodes, values, strict=True) if v >= smoothed(goal[0])[1][-1]), None)


def smoothed(result: Result) -> tuple[list[int], list[float]]:
    """Each look with those before it, the mean of up to SMOOTHED."""
    episodes = [point[0] for point in result["curve"]]
    values = [point[1] for point in result["curve"]]
    return episodes, [float(np.mean(values[max(0, i + 1 - SMOOTHED) : i + 1])) for i in range(len(values))]


def plot(results: Sequence[Result], path: Path) -> None:
    """Held-out accuracy and each arm's own reward over episodes, of the arms that ran on all seeds.

    A line is the mean of the seeds, the band their range.
    """
    seeds = {r["seed"] for r in results}
    figure = Figure(figsize=(10, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    for arm in dict.fromkeys(r["arm"] for r in results):
        runs = [r for r in results if r["arm"] == arm]
        if len(runs) == len(seeds):
            episodes = [point[0] for point in runs[0]["curve"]]
            curves = np.array([smoothed(r)[1] for r in runs])
            (line,) = left.plot(episodes, curves.mean(0), linewidth=1.4, label=arm)
            left.fill_between(episodes, curves.min(0), curves.max(0), alpha=0.08, color=line.get_color())
            rewards = np.array([[point[2] for point in r["curve"][1:]] for r in runs]).mean(0)
            right.plot(episodes[1:], rewards, linewidth=1.4, color=line.get_color())
    left.set(title="held-out accuracy (mean and range of seeds)", xlabel="episodes")
    right.set(title="own reward", xlabel="episodes")
    figure.legend(fontsize=7, loc="outside right center")
    figure.savefig(path, dpi=90)


def into_docs(results: Sequence[Result], folder: Path, docs: Path) -> None:
    """Put the table and the plot where docs/process.md has a place for them."""
    shutil.copyfile(folder / IMAGE, docs / "images" / IMAGE)
    page = docs / PAGE
    before, _, rest = page.read_text().partition(FROM)
    _, found, after = rest.partition(TO)
    if not found:
        raise SystemExit(f"expected {FROM!r} and {TO!r} in {page}")
    body = f"{table(results)}\n![held-out accuracy and reward over episodes](images/{IMAGE})"
    page.write_text(f"{before}{FROM}\n\n{body}\n\n{TO}{after}")
