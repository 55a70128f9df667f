"""The tables and the plots of overoptimisation.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from overoptimisation_curves import Curve, fitted, gold_at, highest_common
from PIL import Image

COLOURS = {
    "single": "tab:red",
    "mean": "tab:olive",
    "min": "tab:green",
    "cautious": "tab:blue",
    "beta": "tab:purple",
    "stopped": "tab:gray",
}
ENSEMBLES = ("mean", "min", "cautious")
END = 10
"""Rollouts whose mean is the end of a run."""
MEASURES = {"proxy": "its own proxy", "single": "the first proxy", "kl": "the KL"}


@dataclass(frozen=True)
class Seed:
    """Everything measured on one seed."""

    seed: int
    best_of_n: Mapping[str, Curve]
    runs: Mapping[str, Curve]
    correlation: Sequence[float]
    """Of each proxy with the gold, over words of the start policy."""


def report(seeds: Sequence[Seed]) -> str:
    """All tables."""
    lines = [
        "Correlation of the five proxies with the gold over words of the start policy: "
        + "; ".join(f"seed {s.seed}: {', '.join(f'{c:.2f}' for c in s.correlation)}" for s in seeds)
        + ".",
        "",
        *_runs(seeds),
        "",
        *_equal(seeds),
        "",
        *_best_of_n(seeds),
        "",
        *_fits(seeds),
        "",
    ]
    return "\n".join(lines)


def _runs(seeds: Sequence[Seed]) -> list[str]:
    lines = [
        f"Gold of the runs: the first rollout, the highest mean of five rollouts, and the mean of the last {END}.",
        "",
        "| run | seed | gold: start | peak | end | proxy: end | KL: end | rollouts |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for arm in COLOURS:
        for s in seeds:
            run = s.runs[arm]
            smooth = run.smooth()
            cells = (run.gold[0], smooth.gold.max(), run.gold[-END:].mean())
            rest = (run.proxy[-END:].mean(), run.kl[-END:].mean())
            shown = " | ".join([*(f"{c:.1f}" for c in cells), f"{rest[0]:.2f}", f"{rest[1]:.1f}", str(len(run.kl))])
            lines.append(f"| {arm} | {s.seed} | {shown} |")
    return lines


def _equal(seeds: Sequence[Seed]) -> list[str]:
    """The gold where two runs are alike in a measure: at the highest level of it that both reach."""
    lines = [
        "Gold of an ensemble's run and of the single one, where both first reach the highest level that both reach of",
        "a measure: of what each was paid, in deviations of the start policy's words; of the first proxy; of the KL.",
        "",
        "| ensemble | seed | " + " | ".join(f"at equal {name}: ensemble | single" for name in MEASURES.values()) + " |",
        "|---|---|" + "---|---|" * len(MEASURES),
    ]
    for arm in ENSEMBLES:
        for s in seeds:
            pair = [s.runs[arm].smooth(), s.runs["single"].smooth()]
            cells = []
            for of in MEASURES:
                level = highest_common(pair, of)
                cells += [gold_at(curve, of, level) for curve in pair]
            lines.append(f"| {arm} | {s.seed} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |")
    return lines


def _best_of_n(seeds: Sequence[Seed]) -> list[str]:
    places = (0, 4, 6, 8, 10)
    lines = [
        "Gold of the best of n by each proxy.",
        "",
        "| proxy | seed | " + " | ".join(f"n = {2**i}" for i in places) + " |",
        "|---|---|" + "---|" * len(places),
    ]
    for arm in seeds[0].best_of_n:
        for s in seeds:
            gold = s.best_of_n[arm].gold
            lines.append(f"| {arm} | {s.seed} | " + " | ".join(f"{gold[i]:.1f}" for i in places) + " |")
    return lines


def _fits(seeds: Sequence[Seed]) -> list[str]:
    lines = [
        "Fits of the single proxy's gold (Gao et al. 2022): d (a - b d) for best-of-n, d (a - b log d) for RL.",
        "",
        "| curve | seed | a | b | share of the variance explained |",
        "|---|---|---|---|---|",
    ]
    for s in seeds:
        lines.append(_fit("best-of-n", s.seed, s.best_of_n["single"], logarithm=False))
        lines.append(_fit("RL", s.seed, s.runs["single"], logarithm=True))
    return lines


def _fit(name: str, seed: int, curve: Curve, *, logarithm: bool) -> str:
    return f"| {name} | {seed} | " + " | ".join(f"{value:.2f}" for value in fitted(curve, logarithm=logarithm)) + " |"


def plot_training(seeds: Sequence[Seed], path: Path) -> None:
    """Gold over sqrt(KL), over what was paid, and over rollouts; a line a run."""
    figure = _figure()
    first, second, third = figure.subplots(1, 3)
    for arm, colour in COLOURS.items():
        for s in seeds:
            run = s.runs[arm].smooth()
            label = arm if s is seeds[0] else None
            first.plot(np.sqrt(np.maximum(run.kl, 0)), run.gold, color=colour, alpha=0.7, lw=1, label=label)
            second.plot(run.proxy, run.gold, color=colour, alpha=0.7, lw=1)
            third.plot(run.gold, color=colour, alpha=0.7, lw=1)
    for s in seeds:
        run = s.runs["single"].smooth()
        _proxy_axis(first).plot(np.sqrt(np.maximum(run.kl, 0)), run.proxy, color="tab:red", ls=":", alpha=0.7, lw=1)
    first.set(xlabel="sqrt(KL from the start policy)", ylabel="gold", title="RL (dotted: the single proxy)")
    second.set(xlabel="what was paid, in deviations at the start", ylabel="gold", title="at equal proxy")
    third.set(xlabel="rollout", ylabel="gold", title="over the run")
    first.legend(fontsize=7)
    _save(figure, path)


def plot_best_of_n(seeds: Sequence[Seed], path: Path) -> None:
    """Gold and proxy of the best of n over sqrt(KL), means over the seeds with each seed thin."""
    figure = _figure()
    left, right = figure.subplots(1, 2)
    for arm in seeds[0].best_of_n:
        curves = [s.best_of_n[arm] for s in seeds]
        d = np.sqrt(curves[0].kl)
        for axes, of in ((left, "gold"), (right, "proxy")):
            rows = np.array([getattr(curve, of) for curve in curves])
            axes.plot(d, rows.T, color=COLOURS[arm], alpha=0.3, lw=0.7)
            axes.plot(d, rows.mean(0), color=COLOURS[arm], lw=1.5, label=arm)
    left.set(xlabel="sqrt(KL)", ylabel="gold", title="best of n: gold")
    right.set(xlabel="sqrt(KL)", ylabel="deviations at the start", title="best of n: what was chosen by")
    left.legend(fontsize=7)
    _save(figure, path)


def _proxy_axis(axes: Axes) -> Axes:
    """A second axis on the right, made once."""
    found = [other for other in axes.figure.axes if other.get_label() == "proxy"]
    if found:
        return found[0]
    twin = axes.twinx()
    twin.set_label("proxy")
    twin.set_ylabel("proxy", fontsize=7)
    return twin


def _figure() -> Figure:
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _save(figure: Figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)
    small(path)


def small(path: Path) -> None:
    """Few colours in place of millions: a third of the size, for pictures that lie in a repository."""
    with Image.open(path) as image:
        image.convert("RGB").quantize(48).save(path, optimize=True)
