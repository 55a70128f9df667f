"""The table and the curves of benchmarks/algorithms.py, from its results."""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

TABLE = Path(__file__).parent / "results" / "algorithms.tsv"
"""What docs/algorithms.md shows."""
COLUMNS = 5
"""Panels side by side."""

Result = dict[str, Any]


def table(results: Sequence[Result]) -> str:
    """One line an arm: the gain of each seed with its interval, and what a run took."""
    seeds = sorted({r["seed"] for r in results})
    gains_of = [f"gain, seed {s}" for s in seeds]
    heads = ["algorithm", "branch", *gains_of, "pass@1, mean", "lowest look", "episodes", "processor s"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name in dict.fromkeys(r["arm"] for r in results):
        rows = {r["seed"]: r for r in results if r["arm"] == name}
        gains = ["{:+.3f} [{:+.3f}, {:+.3f}]".format(*rows[s]["gain"]) if s in rows else "-" for s in seeds]
        of_all = {key: float(np.mean([r[key] for r in rows.values()])) for key in ("before", "after", "episodes")}
        seconds = float(np.mean([r["processor_seconds"] for r in rows.values()]))
        first = next(iter(rows.values()))
        cells = [
            name,
            first["branch"],
            *gains,
            f"{of_all['before']:.3f} to {of_all['after']:.3f}",
            lowest_look(list(rows.values())),
            f"{of_all['episodes']:,.0f}",
            f"{seconds:.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def lowest_look(results: Sequence[Result]) -> str:
    """The look of all seeds that lies furthest below its start, by the upper end of the interval of the difference."""
    start, (_, rate, low, high) = min(
        ((r["curve"][0][1], look) for r in results for look in r["curve"][1:]), key=lambda found: found[1][3]
    )
    return f"{rate - start:+.3f} [{low:+.3f}, {high:+.3f}]"


def plots(results: Sequence[Result], folder: Path) -> None:
    """curves.png with a panel for each arm, and one file for each branch."""
    _panels(results, folder / "curves.png")
    for branch in dict.fromkeys(r["branch"] for r in results):
        _panels([r for r in results if r["branch"] == branch], folder / f"curves-{branch}.png")


def into_docs(results: Sequence[Result], folder: Path, docs: Path) -> None:
    """Put the table beside this file and the curves of each branch among the pictures of the pages."""
    rows = [line.strip("| ").split(" | ") for line in table(results).splitlines()]
    TABLE.write_text("".join("\t".join(row) + "\n" for row in [rows[0], *rows[2:]]))
    for branch in dict.fromkeys(r["branch"] for r in results):
        shutil.copyfile(folder / f"curves-{branch}.png", docs / "images" / f"algorithms-{branch}.png")


def _panels(results: Sequence[Result], path: Path) -> None:
    """Held-out pass@1 along each run, a line a seed; the dashed line is the warm start."""
    names = list(dict.fromkeys(r["arm"] for r in results))
    columns = min(COLUMNS, len(names))
    rows = math.ceil(len(names) / columns)
    figure = Figure(figsize=(2.3 * columns, 1.9 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    axes = np.atleast_1d(figure.subplots(rows, columns, sharey=True)).ravel()
    for place, name in enumerate(names):
        for result in (r for r in results if r["arm"] == name):
            steps, rates = zip(*(look[:2] for look in result["curve"]), strict=True)
            (drawn,) = axes[place].plot(steps, rates, linewidth=1.2)
            axes[place].axhline(rates[0], color=drawn.get_color(), linestyle="--", linewidth=0.6)
        axes[place].set_title(name, fontsize=9)
        axes[place].tick_params(labelsize=7)
    for unused in axes[len(names) :]:
        unused.set_visible(False)
    figure.supylabel("held-out pass@1", fontsize=9)
    figure.supxlabel("rollouts", fontsize=9)
    figure.savefig(path, dpi=110)
