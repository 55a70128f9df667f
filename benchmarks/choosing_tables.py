"""The tables and the picture of choosing.py, from its results."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from choosing_plan import GROUPS, METHODS, PROBLEMS, RATES, TOUCHED, USUAL_GROUP, Run
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from rlenv.comparison.difference import Table, difference
from rlenv.evaluation.passk import Estimate

PAGE = "choosing.md"
FROM, TO = "<!-- benchmarks/choosing.py writes from here -->", "<!-- to here -->"
PROBLEM_NAMES = [problem.name for problem in PROBLEMS]
METHOD_NAMES = [method.algorithm for method in METHODS]
BASE = "grpo"
"""What the other methods are compared with."""

Result = dict[str, Any]
Starts = Mapping[str, Sequence[float]]


def tables(results: Sequence[Result], starts: Starts) -> str:
    """All tables, each under its heading."""
    values = [f"{name} {np.mean(starts[name]):.3f}" for name in PROBLEM_NAMES]
    parts = [
        f"Mean reward at the start: {', '.join(values)}.",
        "### At equal compute\n\n" + gains(results, starts, "compute"),
        "### At equal answers\n\n" + gains(results, starts, "answers"),
        f"### The seeds of `{TOUCHED}`\n\n" + stability(results, starts),
        "### Cost\n\n" + cost(results),
    ]
    if any(not Run(**result["run"]).usual for result in results):
        parts.append(f"### Other settings on `{TOUCHED}`\n\n" + knobs(results, starts))
    return "\n\n".join(parts) + "\n"


def of(results: Sequence[Result], problem: str, algorithm: str, rate: float = 1.0, group: int = USUAL_GROUP) -> Any:
    """The runs of one setting in the order of their seeds."""
    wanted = {"problem": problem, "algorithm": algorithm, "rate": rate, "group": group}
    found = [r for r in results if all(r["run"][key] == value for key, value in wanted.items())]
    return sorted(found, key=lambda r: r["run"]["seed"])


def at(runs: Sequence[Result], answers: int | None = None) -> Table:
    """What the runs earned at so many answers, or at their end. (S, T)"""
    looks = [[look for look in r["looks"] if answers in (None, look["answers"])] for r in runs]
    return np.array([found[-1]["values"] for found in looks])


def common_answers(results: Sequence[Result], problem: str) -> int:
    """The most answers at which every method was looked at."""
    of_each = [{look["answers"] for look in r["looks"]} for name in METHOD_NAMES for r in of(results, problem, name)]
    return int(max(set.intersection(*of_each)))


def gain(first: Table, second: Table) -> Estimate:
    """Of the second side over the first, with the interval over seeds and tasks."""
    return difference(first, second).estimate


def gains(results: Sequence[Result], starts: Starts, equal: str) -> str:
    """A row a method: what it gained on each problem over its start, and over the base."""
    lines = [_row("method", *PROBLEM_NAMES, *(f"{name}, over {BASE}" for name in PROBLEM_NAMES))]
    lines.append("|---" * (1 + 2 * len(PROBLEM_NAMES)) + "|")
    reached = {p: common_answers(results, p) if equal == "answers" else None for p in PROBLEM_NAMES}
    for name in METHOD_NAMES:
        ends = {p: at(of(results, p, name), reached[p]) for p in PROBLEM_NAMES}
        bases = {p: at(of(results, p, BASE), reached[p]) for p in PROBLEM_NAMES}
        over_start = [said(gain(np.array([starts[p]]), ends[p])) for p in PROBLEM_NAMES]
        over_base = [said(gain(bases[p], ends[p])) if name != BASE else "" for p in PROBLEM_NAMES]
        lines.append(_row(name, *over_start, *over_base))
    if equal == "answers":
        lines += ["", "Answers: " + ", ".join(f"{p} {reached[p]:,}" for p in PROBLEM_NAMES) + "."]
    else:
        seeds = [f"{p} {len(of(results, p, BASE))}" for p in PROBLEM_NAMES]
        lines += ["", f"Training seeds: {', '.join(seeds)}; intervals of one seed are over tasks alone."]
    return "\n".join(lines)


def stability(results: Sequence[Result], starts: Starts) -> str:
    """A row a method: how the gains of its seeds lie."""
    lines = [_row("method", "mean gain", "deviation over seeds", "worst seed", "best seed", "seeds"), "|---" * 6 + "|"]
    for name in METHOD_NAMES:
        ends = at(of(results, TOUCHED, name))
        each = ends.mean(1) - np.mean(starts[TOUCHED])  # (S,)
        mean = said(gain(np.array([starts[TOUCHED]]), ends))
        spread = f"{each.std(ddof=1):.3f}" if len(each) > 1 else "-"
        lines.append(_row(name, mean, spread, f"{each.min():+.3f}", f"{each.max():+.3f}", len(each)))
    return "\n".join(lines)


def settings() -> list[tuple[str, float, int]]:
    """Of the columns of the table: what is said of it, the rate and the group."""
    rates = [(f"rate x {rate:g}", rate, USUAL_GROUP) for rate in RATES]
    groups = [(f"groups of {group}", 1.0, group) for group in GROUPS]
    return [("as usual", 1.0, USUAL_GROUP), *rates, *groups]


def knobs(results: Sequence[Result], starts: Starts) -> str:
    """A row a method: its gain with each setting, of the seeds that every setting has."""
    lines = [_row("method", *(name for name, _, _ in settings())), "|---" * (1 + len(settings())) + "|"]
    for name in METHOD_NAMES:
        runs = [of(results, TOUCHED, name, rate, group) for _, rate, group in settings()]
        seeds = min(len(found) for found in runs)
        cells = [said(gain(np.array([starts[TOUCHED]]), at(found[:seeds]))) if seeds else "-" for found in runs]
        lines.append(_row(name, *cells))
    return "\n".join(lines)


def cost(results: Sequence[Result]) -> str:
    """A row a method: passes, networks, and the processor time of a thousand answers with their updates."""
    lines = [_row("method", "passes an answer", "networks", *(f"{p}, s a 1,000 answers" for p in PROBLEM_NAMES))]
    lines.append("|---" * (3 + len(PROBLEM_NAMES)) + "|")
    for method in METHODS:
        seconds = []
        for problem in PROBLEM_NAMES:
            runs = of(results, problem, method.algorithm)
            answers = sum(r["looks"][-1]["answers"] for r in runs)
            seconds.append(f"{1000 * sum(r['processor_seconds'] for r in runs) / answers:.2f}")
        lines.append(_row(method.algorithm, f"{method.passes(USUAL_GROUP):g}", method.networks, *seconds))
    return "\n".join(lines)


def said(found: Estimate) -> str:
    return f"{found.value:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def picture(results: Sequence[Result], starts: Starts, path: Path) -> None:
    """Above the three problems at equal compute; below the seeds, the learning rates and the group sizes."""
    figure = Figure(figsize=(10, 5.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, 3)
    for panel, problem in zip(axes[0], PROBLEM_NAMES, strict=True):
        _curves(panel, results, starts[problem], problem)
    axes[0][0].legend(fontsize=7)
    axes[0][0].set_ylabel("mean reward")
    mean = float(np.mean(starts[TOUCHED]))
    for place, name in enumerate(METHOD_NAMES):
        each = at(of(results, TOUCHED, name)).mean(1) - mean
        axes[1][0].plot([place] * len(each), each, "o", markersize=4, alpha=0.6, color=f"C{place}")
    axes[1][0].set_xticks(range(len(METHOD_NAMES)), METHOD_NAMES)
    axes[1][0].set_title(f"{TOUCHED}: each seed", fontsize=9)
    axes[1][0].set_ylabel("gain")
    of_rates = [(rate, USUAL_GROUP, rate) for rate in sorted((*RATES, 1.0))]
    of_groups = [(1.0, group, float(group)) for group in sorted((*GROUPS, USUAL_GROUP))]
    _knob(axes[1][1], results, starts, of_rates, "learning rate, times the usual")
    _knob(axes[1][2], results, starts, of_groups, "answers in a group")
    for panel in axes.ravel():
        panel.set_visible(panel.has_data())
        panel.tick_params(labelsize=7)
    figure.savefig(path, dpi=90)
    with Image.open(path) as image:  # few colours: a third of the size, for pictures that lie in a repository
        image.convert("RGB").quantize(200).save(path, optimize=True)


def _curves(panel: Axes, results: Sequence[Result], start: Sequence[float], problem: str) -> None:
    """The mean reward along the passes of each method, with its interval at every look."""
    for place, method in enumerate(METHODS):
        runs, before = of(results, problem, method.algorithm), np.array([start])
        steps = [look["answers"] for look in runs[0]["looks"]]
        found = [gain(before, at(runs, answers)) for answers in steps]
        x = [0.0, *(answers * method.passes(USUAL_GROUP) / 1000 for answers in steps)]
        mean = float(np.mean(start))
        panel.plot(
            x, [mean, *(mean + e.value for e in found)], color=f"C{place}", label=method.algorithm, linewidth=1.2
        )
        low, high = [mean, *(mean + e.low for e in found)], [mean, *(mean + e.high for e in found)]
        panel.fill_between(x, low, high, color=f"C{place}", alpha=0.12, linewidth=0)
    panel.set_title(problem, fontsize=9)
    panel.set_xlabel("thousand passes", fontsize=8)


def _knob(
    panel: Axes, results: Sequence[Result], starts: Starts, values: Sequence[tuple[float, int, float]], label: str
) -> None:
    """The mean gain of each method over one setting, from the lowest to the highest of its seeds."""
    mean = float(np.mean(starts[TOUCHED]))
    for place, name in enumerate(METHOD_NAMES):
        found = [(x, of(results, TOUCHED, name, rate, group)) for rate, group, x in values]
        seeds = min(len(runs) for _, runs in found)
        if not seeds:
            continue
        each = np.array([at(runs[:seeds]).mean(1) - mean for _, runs in found])  # (values, S)
        x = [value * (1 + 0.03 * (place - 2)) for value, _ in found]
        reach = [each.mean(1) - each.min(1), each.max(1) - each.mean(1)]
        panel.errorbar(x, each.mean(1), yerr=reach, color=f"C{place}", marker="o", markersize=3, linewidth=1)
    panel.set_xscale("log", base=2)
    panel.set_title(f"{TOUCHED}: {label}", fontsize=9)


def into_docs(text: str, image: Path, docs: Path) -> None:
    """Put the tables and the picture where the page has a place for them."""
    shutil.copyfile(image, docs / "images" / "choosing.png")
    page = docs / PAGE
    before, _, rest = page.read_text().partition(FROM)
    _, found, after = rest.partition(TO)
    if not found:
        raise SystemExit(f"expected {FROM!r} and {TO!r} in {page}")
    drawn = "![three problems, eight seeds, two settings](images/choosing.png)"
    page.write_text(before + FROM + "\n\n" + drawn + "\n\n" + text + "\n" + TO + after)
