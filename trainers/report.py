"""What a training run left, in one page: `report.md` and a plot in its folder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from rlenv.trainers.logs import read_metrics
from rlenv.trainers.plots import plot_run

SHOWN = (
    "reward",
    "frac_reward_zero_std",
    "completions/mean_length",
    "completions/clipped_ratio",
    "entropy",
    "kl",
    "critic/explained_variance",
    "verifier_errors",
    "step_time",
)


def write_report(folder: Path) -> Path:
    """Write report.md and reward.png of the run in this folder; returns the report's path."""
    metrics = read_metrics(folder / "metrics.jsonl")
    config = json.loads((folder / "config.json").read_text())
    plot_run(metrics, folder / "reward.png")
    tenth = max(1, len(metrics) // 10)
    lines = [
        f"# {config['row']['name']} on {config['env']}",
        "",
        f"{len(metrics)} rollouts of {config['groups']} prompts with {config['group_size']} completions, "
        f"seed {config['seed']}.",
        "",
        f"| metric | first {tenth} rollouts | last {tenth} |",
        "|---|---|---|",
    ]
    for name in SHOWN:
        values = [m[name] for m in metrics if name in m]
        if values:
            lines.append(f"| {name} | {np.mean(values[:tenth]):.4g} | {np.mean(values[-tenth:]):.4g} |")
    lines += ["", "![reward](reward.png)", ""]
    path = folder / "report.md"
    path.write_text("\n".join(lines))
    return path
