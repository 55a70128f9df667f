"""`rlenv demo`: a small model gets better at arithmetic that it was never shown, in a few minutes on a CPU.

Demonstrations exist for a small share of the tasks, prompts and a verifier for many: the set-up that
reinforcement learning is for. The model is warmed up on the demonstrations, trained with GRPO on other
tasks, and measured before and after on tasks held out from both. As a control, a copy of the warmed-up
model continues with the demonstrations, at the same time on a core of its own, for about as long.
"""

from __future__ import annotations

import multiprocessing
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from rlenv.cli.echo import echo
from rlenv.core.errors import RunError
from rlenv.core.jsontypes import Json

if TYPE_CHECKING:
    from rlenv.evaluation.report import Report
    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.trainers import SftConfig, TrainConfig

T = TypeVar("T")

ENV = "math/arithmetic-v1"
TASKS: dict[str, Json] = {"level": 4}
"""Sums of four digits, 10,000 of them; held-out ones differ in their operands, not only in the order."""
K = (1, 4, 16)
MOMENTS = 4
"""How often the control is measured on its way: supervised training on few demonstrations can peak early."""


@dataclass(frozen=True)
class Recipe:
    """What the demo runs; the defaults take a few minutes on two CPU cores."""

    seed: int = 0
    sft_steps: int = 400
    rl_steps: int = 1300
    control_steps: int = 8000
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
    """One policy on the held-out tasks: pass@k with its interval, and greedy accuracy."""

    name: str
    pass_at: dict[int, tuple[float, float, float]]
    greedy: float

    def row(self) -> str:
        """A row of the report's table."""
        cells = ["{:.3f} [{:.3f}, {:.3f}]".format(*self.pass_at[k]) for k in K]
        return f"| {self.name} | {' | '.join(cells)} | {self.greedy:.3f} |"


@dataclass(frozen=True)
class DemoResult:
    """What the whole demo measured."""

    before: Measured
    after: Measured
    control: list[Measured]
    demonstrations: int
    prompts: int
    sft_s: float
    rl_s: float
    control_s: float
    """Processor seconds of the three phases."""

    def lines(self, problems: int) -> list[str]:
        """The report."""
        best = max(m.pass_at[1][0] for m in self.control)
        before, after, last = (m.pass_at[1][0] for m in (self.before, self.after, self.control[-1]))
        return [
            f"# {ENV}, level {TASKS['level']}",
            "",
            f"Warm start on {self.demonstrations} demonstrations ({self.sft_s:.0f} s), then GRPO on {self.prompts} "
            f"prompts without demonstrations ({self.rl_s:.0f} s), or more of the same demonstrations "
            f"({self.control_s:.0f} s). Measured on {problems} held-out tasks, {max(K)} samples each at temperature 1, "
            "with 95 % intervals over tasks.",
            "",
            f"| policy | {' | '.join(f'pass@{k}' for k in K)} | greedy |",
            "|---|" + "---|" * (len(K) + 1),
            *(m.row() for m in (self.before, self.after, *self.control)),
            "",
            f"GRPO: {after - before:+.3f} pass@1. More demonstrations instead: {last - before:+.3f} at the end, "
            f"{best - before:+.3f} at the best moment.",
            "",
            "![reward and pass@k](report.png)",
            "",
        ]


def command(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the demo; what is there is replaced.")] = Path(
        "runs/demo"
    ),
    seed: Annotated[int, typer.Option(help="The random seed of weights, tasks and sampling.")] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="A few steps only, to see that it runs.")] = False,
) -> None:
    """Watch a small model get better at a checked task, in a few minutes on a CPU."""
    recipe = Recipe(seed, sft_steps=20, rl_steps=3, control_steps=8, problems=20) if quick else Recipe(seed)
    report = run(out, recipe)
    echo(f"\n{report.read_text()}")
    echo(f"everything is in {out}: report.md, report.png, train/episodes.jsonl.gz, train/metrics.jsonl, train/model")
    echo(f"to look at its completions in a browser: rlenv view {out / 'train'}")


def run(out: Path, recipe: Recipe) -> Path:
    """The whole demo; returns the path of its report."""
    import torch

    from rlenv.env.registry import load
    from rlenv.policies.tiny import tiny_policy
    from rlenv.trainers.branches.sft import demonstrations, supervised
    from rlenv.trainers.loop.train import train
    from rlenv.trainers.records.logs import read_metrics
    from rlenv.trainers.records.report import plot_comparison

    torch.set_num_threads(1)  # the model is too small to share out, and the control wants the other core
    _fresh(out)
    started = time.perf_counter()
    practice = load(ENV, split="train", **TASKS)
    policy, sft = tiny_policy(recipe.seed), recipe.sft()
    shown = demonstrations(practice, policy, sft.max_demonstrations)
    _say(f"warm start on {len(shown)} demonstrations")
    _, sft_s = _timed(lambda: supervised(policy, shown, sft))
    before = measure("warm start", policy, recipe, out / "before")
    policy.save(out / "warm")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as other_core:
        continued = other_core.submit(go_on_with_demonstrations, recipe, out)
        _, rl_s = _timed(lambda: train(recipe.rl(), practice, policy, out / "train"))
        after = measure("after GRPO", policy, recipe, out / "after")
        _say("waiting for the control, which continues with the demonstrations")
        control, control_s = continued.result()
    found = DemoResult(before, after, control, len(shown), recipe.rl_steps * recipe.rl().groups, sft_s, rl_s, control_s)
    bars = {m.name: m.pass_at for m in (before, after, max(control, key=lambda m: m.pass_at[1]))}
    plot_comparison(read_metrics(out / "train" / "metrics.jsonl"), bars, out / "report.png")
    path = out / "report.md"
    path.write_text(
        "\n".join([*found.lines(recipe.problems), f"The whole took {time.perf_counter() - started:.0f} s.", ""])
    )
    return path


def go_on_with_demonstrations(recipe: Recipe, out: Path) -> tuple[list[Measured], float]:
    """The control: what more of the demonstrations does to the warm start, and its processor seconds.

    It is measured at several moments on its way, because training on few demonstrations can peak early.
    """
    import torch

    from rlenv.env.registry import load
    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.trainers.branches.sft import demonstrations, supervised

    torch.set_num_threads(1)
    policy = TransformersPolicy.load(str(out / "warm"), device="cpu")
    sft = replace(recipe.sft(), steps=recipe.control_steps, seed=recipe.seed + 1)
    practice = load(ENV, split="train", **TASKS)
    shown = demonstrations(practice, policy, sft.max_demonstrations)
    moments: list[Measured] = []
    looking_s = 0.0

    def look(step: int, loss: float) -> None:
        nonlocal looking_s
        if (step + 1) % (recipe.control_steps // MOMENTS) == 0:
            name = f"more demonstrations, {len(moments) + 1}/{MOMENTS} of the way"
            found, seconds = _timed(lambda: measure(name, policy, recipe, out / f"control-{len(moments) + 1}"))
            moments.append(found)
            looking_s += seconds

    _, seconds = _timed(lambda: supervised(policy, shown, sft, look))
    return moments, seconds - looking_s


def measure(name: str, policy: TransformersPolicy, recipe: Recipe, out: Path) -> Measured:
    """pass@k sampled at temperature 1, and greedy accuracy, on held-out tasks."""
    from rlenv.env.registry import load
    from rlenv.evaluation.evaluation import evaluate as evaluated
    from rlenv.policies import Sampling

    def evaluate(n: int, k: tuple[int, ...], temperature: float, folder: Path) -> Report:
        sampling = Sampling(max_new_tokens=recipe.rl().max_new_tokens, temperature=temperature)
        test = load(ENV, split="test", **TASKS)
        return evaluated(
            test, policy, n=n, k=k, limit=recipe.problems, sampling=sampling, out=folder, chunk_tasks=32, quiet=True
        )

    sampled = evaluate(max(K), K, 1.0, out)
    greedy = evaluate(1, (1,), 0.0, out.with_name(f"{out.name}-greedy")).pass_at[1].value
    found = Measured(name, {k: (e.value, e.low, e.high) for k, e in sampled.pass_at.items()}, greedy)
    _say(f"{name}: {found.pass_at[1][0]:.3f} of held-out tasks sampled, {greedy:.3f} greedy")
    return found


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    """What the work returns, and the processor seconds that it took."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def _fresh(out: Path) -> None:
    """An empty folder; only one that an earlier demo left is replaced."""
    if out.exists() and any(out.iterdir()):
        if not (out / ".demo").exists():
            raise RunError(f"{out} holds something else; give another folder with --out")
        shutil.rmtree(out)
    out.mkdir(parents=True, exist_ok=True)
    (out / ".demo").touch()


def _say(text: str) -> None:
    echo(text, err=True)
