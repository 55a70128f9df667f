"""Plots of a run, as PNG: they open anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rlenv.core.errors import MissingExtra
from rlenv.store.files import replacing
from rlenv.trainers.records.logs import Alarm


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
    with replacing(path, "wb") as file:
        figure.savefig(file, dpi=120, format="png")
