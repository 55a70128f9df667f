"""What the recipes share: options, held-out values with their intervals, and the folder that a recipe leaves.

python recipes/common.py runs/recipes      # figures, table and pictures of docs/recipes.md, from the recipes run there
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

import rlenv
from rlenv.comparison.difference import Table, difference
from rlenv.core.definition import Definition
from rlenv.core.jsontypes import Json, canonical
from rlenv.evaluation.passk import mean_interval
from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import SftConfig, TrainConfig
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.trainers.records.logs import read_metrics

ROOT = Path(__file__).parents[1]
FIGURES, IMAGES = ROOT / "recipes" / "figures", ROOT / "docs" / "images"
TABLE = FIGURES / "stages.tsv"
"""What docs/recipes.md shows."""
PICTURES = ("r1", "rlhf", "distillation")
"""The recipes whose pictures stand there too."""
ENV, LEVEL = "math/arithmetic-v0", 4
ASKED = "What is {expression}? Think first, then put the answer into \\boxed{}."
"""How a real model is asked; the tiny policy knows `3+8+5+9=?`."""
TASKS, SAMPLES = 300, 8
"""Held-out tasks, and completions of each at temperature 1."""
TOKENS, THINKING = 16, 512
"""Of an answer to a sum: what the tiny policy needs, and what a real model is given."""


@dataclass
class Recipe:
    """One run of a recipe: what it was asked for, and the stages measured so far."""

    name: str
    out: Path
    seed: int
    smoke: bool
    model: str
    device: str
    level: int
    parts: list[str] = field(default_factory=list)
    """Of a recipe that can be run in parts: those to run."""
    stages: list[dict[str, Any]] = field(default_factory=list)
    curves: dict[str, list[list[float]]] = field(default_factory=dict)
    values: dict[str, Table] = field(default_factory=dict)
    """Of each stage. (seeds, tasks)"""
    lap: tuple[float, float] = (0.0, 0.0)
    """Processor and wall time at the end of the last stage."""

    def problems(self, split: str) -> Definition:
        """Sums of digits that are worked out step by step; the splits have no sum in common."""
        asked: dict[str, Json] = {"template": ASKED} if self.model else {}
        return rlenv.load(ENV, level=self.level, split=split, **asked)

    def untrained(self) -> TransformersPolicy:
        """The model that was named, or a tiny one that knows nothing."""
        if self.model:
            return self.load(Path(self.model))
        return tiny_policy(self.seed)

    def load(self, folder: Path) -> TransformersPolicy:
        """A saved policy, or a hub id, with weights that can be trained."""
        return TransformersPolicy.load(str(folder), device=self.device, dtype="float32")

    def warm(self) -> TransformersPolicy:
        """The model that was named, or a tiny one that has seen 200 worked solutions."""
        policy = self.untrained()
        if not self.model:
            shown = demonstrations(self.problems("train"), policy, 200)
            supervised(policy, shown, self.sft(SftConfig(steps=400, learning_rate=2e-3)))
        return policy

    def tokens(self, tiny: int = TOKENS) -> int:
        """Of an answer to a sum, for which the tiny policy needs so many."""
        return THINKING if self.model and not self.smoke else tiny

    def twin(self, policy: TransformersPolicy) -> TransformersPolicy:
        """A copy to train while the policy stays as it is."""
        return copy.deepcopy(policy)

    def sft(self, config: SftConfig) -> SftConfig:
        """The settings for a tiny policy, as this run needs them."""
        rate = None if self.model else config.learning_rate
        steps = min(config.steps, 10) if self.smoke else config.steps
        return replace(config, learning_rate=rate, seed=self.seed, steps=steps)

    def rl(self, config: TrainConfig) -> TrainConfig:
        """The settings for a tiny policy, as this run needs them: a real model takes small steps and more tokens."""
        config = replace(config, seed=self.seed, save_every=10_000, trackers="none")
        if self.model:
            tokens = self.tokens() if config.max_new_tokens == TOKENS else config.max_new_tokens
            config = replace(config, learning_rate=1e-6, critic_learning_rate=None, max_new_tokens=tokens)
        if self.smoke:
            config = replace(config, steps=min(config.steps, 2), groups=min(config.groups, 4), minibatches=1, epochs=1)
        return config

    def few(self, count: int) -> int:
        """So many, or a few in a smoke run."""
        return max(2, count // 100) if self.smoke else count

    def passed(self, test: Definition, policy: TransformersPolicy) -> list[float]:
        """pass@1 of each held-out task."""
        n, tasks = (2, 20) if self.smoke else (SAMPLES, TASKS)
        sampling = Sampling(max_new_tokens=self.tokens())
        report = rlenv.evaluate(test, policy, n=n, k=1, limit=tasks, sampling=sampling, chunk_tasks=64, quiet=True)
        return [right / max(1, judged) for judged, right in report.counts().values()]

    def add(
        self, stage: str, values: Sequence[float] | Sequence[Sequence[float]], since: str | None = None, **facts: float
    ) -> None:
        """Put down what a stage came to: its mean, and what it gained task by task over `since` (the stage before).

        Values are of the held-out tasks, of one training seed or of each of several (rlenv.comparison.difference).
        """
        before = since if since is not None else (self.stages[-1]["stage"] if self.stages else "")
        measured = np.atleast_2d(np.asarray(values, dtype=np.float64))  # (seeds, tasks)
        one = len(measured) == 1
        found = mean_interval(measured[0]) if one else difference(0 * measured[:1], measured).estimate
        row: dict[str, Any] = {"stage": stage, "value": [found.value, found.low, found.high]}
        if before:
            gain = difference(self.values[before], measured).estimate
            row |= {"since": before, "gain": [gain.value, gain.low, gain.high]}
        processor, wall = time.process_time(), time.perf_counter()
        row |= {"facts": facts, "processor_s": processor - self.lap[0], "wall_s": wall - self.lap[1]}
        self.lap = (processor, wall)
        self.values[stage] = measured
        self.stages.append(row)
        print(line_of(row), flush=True)

    def curve(self, name: str, run: Path, metric: str, times: float = 1.0) -> list[float]:
        """Put down a metric of a run, rollout by rollout, for the picture; returns its values."""
        rows = [(m["step"], times * m[metric]) for m in read_metrics(run / "metrics.jsonl") if metric in m]
        self.curves[name] = [list(row) for row in rows]
        return [value for _, value in rows]

    def finish(self, measure: str = "pass@1", x: str = "rollout") -> None:
        """Write figures.json and the picture; `x` is what curves are drawn over."""
        same = [{key: row[key] for key in ("stage", "value", "facts")} for row in self.stages]
        digest = hashlib.blake2b(canonical({"stages": same, "curves": self.curves}).encode(), digest_size=8).hexdigest()
        figures = {
            "recipe": self.name,
            "command": f"python recipes/{self.name}.py",
            "seed": self.seed,
            "model": self.model or "tiny-0.1m",
            "measure": measure,
            "stages": self.stages,
            "x": x,
            "curves": self.curves,
            "digest": digest,
        }
        (self.out / "figures.json").write_text(json.dumps(figures) + "\n")
        picture(figures, self.out / "figures.png")
        print(f"figures.json and figures.png are in {self.out}; digest {digest}")


def begun(module: str, about: str | None, *, keep: bool = False, choices: Sequence[str] = ()) -> Recipe:
    """The options of the command line, and an empty folder, or one to `keep`; `choices` are the parts of a recipe."""
    name = Path(module).stem
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/recipes") / name, help="the folder; made anew")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--smoke", action="store_true", help="a few steps, to see that it runs")
    parser.add_argument("--model", default="", help="a hub id or folder in place of the tiny policy")
    parser.add_argument("--device", default="auto", help="of --model: auto, cpu, cuda")
    parser.add_argument("--level", type=int, default=LEVEL, help="of the sums, 1 to 7; smoke runs take 1")
    parser.add_argument("--parts", default=",".join(choices), help="with commas" if choices else argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.model:
        torch.set_num_threads(1)  # the tiny policy is too small to share out
    if given.out.exists():
        if not (given.out / ".recipe").exists():
            raise SystemExit(f"{given.out} holds something else; give another folder with --out")
        if not keep:
            shutil.rmtree(given.out)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / ".recipe").touch()
    device = given.device if given.model else "cpu"
    recipe = Recipe(name, given.out, given.seed, given.smoke, given.model, device, 1 if given.smoke else given.level)
    recipe.parts = [part for part in given.parts.split(",") if part]
    recipe.lap = (time.process_time(), time.perf_counter())
    return recipe


def line_of(row: Mapping[str, Any]) -> str:
    """The stage as a row of the table."""
    gain = f"{shown(row['gain'], '+')} over {row['since']}" if "gain" in row else ""
    facts = ", ".join(
        f"{name.replace('_', ' ')} {value:,.{0 if value == int(value) else 3}f}" for name, value in row["facts"].items()
    )
    return f"| {row['stage']} | {shown(row['value'])} | {gain} | {facts} | {row['processor_s']:.0f} |"


def shown(interval: Sequence[float], sign: str = "") -> str:
    """A mean with its 95 % interval."""
    value, low, high = (f"{number:{sign}.3f}" for number in interval)
    return f"{value} [{low}, {high}]"


def picture(figures: Mapping[str, Any], path: Path) -> None:
    """The stages with their intervals, and the curves where there are any."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    stages, curves = figures["stages"], figures["curves"]
    figure = Figure(figsize=(5 + 4 * bool(curves), 3), layout="constrained")
    FigureCanvasAgg(figure)
    left, *rest = figure.subplots(1, 1 + bool(curves), squeeze=False)[0]
    means, lows, highs = zip(*(row["value"] for row in stages), strict=True)
    widths = ([m - low for m, low in zip(means, lows, strict=True)], [h - m for m, h in zip(means, highs, strict=True)])
    left.barh(range(len(stages)), means, xerr=widths, height=0.6, color="tab:blue", alpha=0.7)
    left.set_yticks(range(len(stages)), [row["stage"] for row in stages])
    left.invert_yaxis()
    left.set_xlabel(f"{figures['measure']}, 95 % intervals")
    for axes in rest:
        for place, (name, points) in enumerate(curves.items()):
            axes.plot(*zip(*points, strict=True), label=name, linewidth=1.2, linestyle=("-", "--", ":")[place % 3])
        axes.set_xlabel(figures["x"])
        axes.set_xscale("log" if figures["x"] == "k" else "linear")
        axes.legend(fontsize=7)
    figure.savefig(path, dpi=80)
    with Image.open(path) as image:  # few colours: a third of the size, for pictures that lie in a repository
        image.convert("RGB").quantize(48).save(path, optimize=True)


def table(found: Sequence[Mapping[str, Any]]) -> str:
    """The stages of all recipes, tabs between the cells."""
    head = ["recipe", "stage", "measure", "value", "gain", "what it took", "processor s"]
    rows = [
        [figures["recipe"], row["stage"], figures["measure"], *line_of(row).strip("| ").split(" | ")[1:]]
        for figures in found
        for row in figures["stages"]
    ]
    return "".join("\t".join(cell.strip() for cell in row) + "\n" for row in [head, *rows])


def stored() -> list[dict[str, Any]]:
    """The figures that are kept beside the recipes."""
    return [json.loads(path.read_text()) for path in sorted(FIGURES.glob("*.json"))]


def main(runs: Path) -> None:
    """Keep the figures of the runs in this folder, and write the table and the pictures from all that are kept."""
    FIGURES.mkdir(exist_ok=True)
    for path in runs.glob("*/figures.json"):
        figures = json.loads(path.read_text())
        shutil.copyfile(path, FIGURES / f"{figures['recipe']}.json")
        if figures["recipe"] in PICTURES:
            picture(figures, IMAGES / f"recipe-{figures['recipe']}.png")
    TABLE.write_text(table(stored()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
