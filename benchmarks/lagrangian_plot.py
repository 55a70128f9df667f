"""The table and the plot of lagrangian.py."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from lagrangian import Run

PANELS = ("cost", "reward", "multiplier")
COLOURS = {"budget": "tab:blue", "weight 0": "tab:orange"}


def table(runs: Sequence[Run], budget: float) -> str:
    """A row a run, over its first and its last rollouts."""
    lines = [
        f"Budget {budget:g}. The warm start is the mean of the first three rollouts, the end that of the last third.",
        "",
        "| run | seed | cost: warm start | end | deviation over rollouts | end / budget | reward: warm start | end "
        "| multiplier: end |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for run in sorted(runs, key=lambda run: (run.arm, run.seed)):
        last = len(run.cost) // 3
        cost, reward = np.mean(run.cost[-last:]), np.mean(run.reward[-last:])
        cells = (np.mean(run.cost[:3]), cost, np.std(run.cost[-last:]), cost / budget, np.mean(run.reward[:3]), reward)
        shown = " | ".join(f"{cell:.3f}" for cell in (*cells, np.mean(run.multiplier[-last:])))
        lines.append(f"| {run.arm} | {run.seed} | {shown} |")
    return "\n".join([*lines, ""])


def plot(runs: Sequence[Run], budget: float, path: Path) -> None:
    """Cost with its budget, reward and multiplier over rollouts, a line a run."""
    figure = Figure(figsize=(10, 3.2), layout="constrained")
    FigureCanvasAgg(figure)
    for panel, axes in zip(PANELS, figure.subplots(1, 3), strict=True):
        for run in runs:
            values = np.convolve(getattr(run, panel), np.ones(5) / 5, mode="valid")
            label = run.arm if run.seed == min(r.seed for r in runs) else None
            axes.plot(range(4, 4 + len(values)), values, color=COLOURS[run.arm], alpha=0.7, lw=1, label=label)
        if panel == "cost":
            axes.axhline(budget, color="black", ls="--", lw=1, label=f"budget {budget:g}")
        axes.set(title=panel, xlabel="rollout")
    figure.axes[0].legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)
