"""`rlenv demo`: a small model gets better at arithmetic that it was never shown, in a few minutes on a CPU.

Demonstrations exist for a small share of the tasks, prompts and a verifier for many: the set-up that
reinforcement learning is for. The model is warmed up on the demonstrations, trained with GRPO on other
tasks, and measured before and after on tasks held out from both. As a control, a copy of the warmed-up
model goes on with the demonstrations for as many seconds as the reinforcement learning took.
"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlenv.errors import RunError
from rlenv.jsontypes import Json

if TYPE_CHECKING:
    from rlenv.definition import Definition
    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.report import Report
    from rlenv.trainers import SftConfig, TrainConfig

ENV = "math/arithmetic-v0"
TASKS: dict[str, Json] = {"level": 4}
"""Sums of four digits, 10,000 of them; held-out ones differ in their operands, not only in the order."""
K = (1, 4, 16)
MOMENTS = 4
"""How often the control is measured on its way: supervised training on few demonstrations can peak early."""


@dataclass(frozen=True)
class Recipe:
    """What the demo runs; the defaults are tuned for two CPU cores and a few minutes."""

    seed: int = 0
    sft_steps: int = 400
    rl_steps: int = 800
    problems: int = 250

    def sft(self) -> SftConfig:
        """The warm start."""
        from rlenv.trainers import SftConfig

        return SftConfig(
            steps=self.sft_steps, batch_size=64, learning_rate=2e-3, max_demonstrations=200, seed=self.seed
        )

    def rl(self, algorithm: str = "grpo") -> TrainConfig:
        """The reinforcement learning."""
        from rlenv.trainers import TrainConfig

        return TrainConfig(
            algorithm=algorithm,
            steps=self.rl_steps,
            groups=32,
            group_size=8,
            max_new_tokens=16,
            learning_rate=3e-4,
            warmup_steps=20,
            decay_share=0.7,
            seed=self.seed,
            save_every=200,
        )


@dataclass(frozen=True)
class Measured:
    """One policy on the held-out tasks."""

    name: str
    sampled: Report
    greedy: Report

    def row(self) -> str:
        """A row of the report's table."""
        cells = [f"{e.value:.3f} [{e.low:.3f}, {e.high:.3f}]" for e in (self.sampled.pass_at[k] for k in K)]
        return f"| {self.name} | {' | '.join(cells)} | {self.greedy.pass_at[1].value:.3f} |"


def command(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the demo; made anew.")] = Path("runs/demo"),
    seed: Annotated[int, typer.Option(help="Decides weights, tasks and sampling.")] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="A few steps only, to see that it runs.")] = False,
) -> None:
    """Watch a small model get better at a checked task, in a few minutes on a CPU."""
    recipe = Recipe(seed, sft_steps=20, rl_steps=3, problems=20) if quick else Recipe(seed)
    report = run(out, recipe)
    typer.echo(f"\n{report.read_text()}")
    typer.echo(f"everything is in {out}: report.md, report.png, train/episodes.jsonl, train/metrics.jsonl, train/model")


def run(out: Path, recipe: Recipe) -> Path:
    """The whole demo; returns the path of its report."""
    import rlenv
    from rlenv.policies.tiny import tiny_policy
    from rlenv.trainers.sft import demonstrations, supervised
    from rlenv.trainers.trainer import train

    _fresh(out)
    started = time.perf_counter()
    practice, test = rlenv.load(ENV, split="train", **TASKS), rlenv.load(ENV, split="test", **TASKS)
    policy = tiny_policy(recipe.seed)
    sft = recipe.sft()
    shown = demonstrations(practice, policy, sft.max_demonstrations)
    _say(f"warm start on {len(shown)} demonstrations")
    clock = time.perf_counter()
    supervised(policy, shown, sft)
    sft_s = time.perf_counter() - clock
    before = _measure("warm start", policy, test, recipe, out / "before")
    control = copy.deepcopy(policy)
    clock = time.perf_counter()
    train(recipe.rl(), practice, policy, out / "train")
    rl_s = time.perf_counter() - clock
    after = _measure("after GRPO", policy, test, recipe, out / "after")
    more = max(1, round(sft.steps * rl_s / sft_s))
    _say(f"control: {more} more steps on the demonstrations, {rl_s:.0f} s as GRPO had")
    moments: list[Measured] = []

    def look(step: int, loss: float) -> None:
        if (step + 1) % max(1, more // MOMENTS) == 0 and len(moments) < MOMENTS:
            name = f"more demonstrations, {len(moments) + 1}/{MOMENTS} of the time"
            moments.append(_measure(name, control, test, recipe, out / f"control-{len(moments) + 1}"))

    supervised(control, shown, replace(sft, steps=more, seed=recipe.seed + 1), look)
    return _report(out, recipe, [before, after, *moments], len(shown), sft_s, rl_s, time.perf_counter() - started)


def _fresh(out: Path) -> None:
    """An empty folder; only one that an earlier demo left is replaced."""
    import shutil

    if out.exists() and any(out.iterdir()):
        if not (out / ".demo").exists():
            raise RunError(f"{out} holds something else; give another folder with --out")
        shutil.rmtree(out)
    out.mkdir(parents=True, exist_ok=True)
    (out / ".demo").touch()


def _measure(name: str, policy: TransformersPolicy, test: Definition, recipe: Recipe, out: Path) -> Measured:
    """pass@k sampled at temperature 1, and greedy accuracy, on held-out tasks."""
    import rlenv
    from rlenv.policies import Sampling

    def evaluate(n: int, k: tuple[int, ...], temperature: float, folder: Path) -> Report:
        sampling = Sampling(max_new_tokens=recipe.rl().max_new_tokens, temperature=temperature)
        return rlenv.evaluate(
            test, policy, n=n, k=k, limit=recipe.problems, sampling=sampling, out=folder, chunk_tasks=32, quiet=True
        )

    found = Measured(name, evaluate(max(K), K, 1.0, out), evaluate(1, (1,), 0.0, out.with_name(f"{out.name}-greedy")))
    sampled, greedy_share = found.sampled.pass_at[1].value, found.greedy.pass_at[1].value
    _say(f"{name}: {sampled:.3f} of held-out tasks sampled, {greedy_share:.3f} greedy")
    return found


def _report(
    out: Path, recipe: Recipe, measured: list[Measured], shown: int, sft_s: float, rl_s: float, total_s: float
) -> Path:
    from rlenv.trainers.logs import read_metrics
    from rlenv.trainers.plots import plot_comparison

    shown_in_plot = [*measured[:2], max(measured[2:], key=lambda m: m.sampled.pass_at[1].value)]
    bars: dict[str, Any] = {
        m.name: {k: (e.value, e.low, e.high) for k, e in m.sampled.pass_at.items()} for m in shown_in_plot
    }
    plot_comparison(read_metrics(out / "train" / "metrics.jsonl"), bars, out / "report.png")
    before, after, *control = (m.sampled.pass_at[1].value for m in measured)
    seen = recipe.rl().steps * recipe.rl().groups
    lines = [
        f"# {ENV}, level {TASKS['level']}",
        "",
        f"Warm start on {shown} demonstrations ({sft_s:.0f} s), then GRPO on {seen} prompts without demonstrations "
        f"({rl_s:.0f} s). Measured on {recipe.problems} held-out tasks, {max(K)} samples each at "
        "temperature 1, with 95 % intervals over tasks.",
        "",
        f"| policy | {' | '.join(f'pass@{k}' for k in K)} | greedy |",
        "|---|" + "---|" * (len(K) + 1),
        *(m.row() for m in measured),
        "",
        f"GRPO: {after - before:+.3f} pass@1. The same seconds on more demonstrations: {control[-1] - before:+.3f} at "
        f"the end, {max(control) - before:+.3f} at the best of the moments it was looked at.",
        "",
        "![reward and pass@k](report.png)",
        "",
        f"The whole took {total_s:.0f} s.",
        "",
    ]
    path = out / "report.md"
    path.write_text("\n".join(lines))
    return path


def _say(text: str) -> None:
    typer.echo(text, err=True)
