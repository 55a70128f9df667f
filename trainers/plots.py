"""Plots of a run, as PNG: they open anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rlenv.errors import MissingExtra


def reward_curve(axes: Any, steps: Sequence[float], rewards: Sequence[float], label: str | None = None) -> None:
    """The reward of each rollout, faint, and its running mean over a twentieth of the run."""
    width = max(1, len(rewards) // 20)
    smooth = np.convolve(rewards, np.ones(width) / width, mode="valid") if rewards else np.zeros(0)
    (drawn,) = axes.plot(steps[width - 1 :], smooth, label=label)
    axes.plot(steps, rewards, alpha=0.25, color=drawn.get_color())
    axes.set_xlabel("rollout")
    axes.set_ylabel("mean reward")
    axes.set_ylim(-0.02, 1.02)


def plot_run(metrics: Sequence[Mapping[str, float]], path: Path) -> None:
    """Reward, length and entropy of a run over its rollouts."""
    figure, axes = _figure(3)
    steps = [m["step"] for m in metrics]
    reward_curve(axes[0], steps, [m["reward"] for m in metrics])
    for place, name in ((1, "completions/mean_length"), (2, "entropy")):
        axes[place].plot(steps, [m.get(name, np.nan) for m in metrics])
        axes[place].set_xlabel("rollout")
        axes[place].set_ylabel(name)
    _save(figure, path)


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
    axes[1].legend(loc="upper left")
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
    figure.savefig(path, dpi=120)
