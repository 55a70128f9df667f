"""Every algorithm on the demo's task, three seeds each: what it gains on held-out tasks, and what it takes.

    python benchmarks/algorithms.py --out runs/algorithms

Each seed has one warm start, which all algorithms begin from. PPO is also run without groups. Writes
results.jsonl (a run a line, so that an interrupted benchmark goes on), table.md and curves.png.
"""

from __future__ import annotations

import argparse
import copy
import json
import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import rlenv
from rlenv.cli.demo import ENV, TASKS, Recipe
from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import TrainConfig, train
from rlenv.trainers.logs import read_metrics
from rlenv.trainers.plots import reward_curve
from rlenv.trainers.sft import demonstrations, supervised

SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Arm:
    """One line of the table."""

    name: str
    algorithm: str
    critic_learning_rate: float | None = None
    groups: int = 32
    group_size: int = 8

    def config(self, seed: int, steps: int) -> TrainConfig:
        return replace(
            Recipe(seed, rl_steps=steps).rl(self.algorithm),
            critic_learning_rate=self.critic_learning_rate,
            groups=self.groups,
            group_size=self.group_size,
            save_every=10_000,
        )


ARMS = (
    Arm("GRPO", "grpo"),
    Arm("RLOO", "rloo"),
    Arm("REINFORCE++", "reinforce++"),
    Arm("PPO", "ppo", 1e-3),
    Arm("PPO, group size 1", "ppo", 1e-3, groups=256, group_size=1),
)


def measure(policy: TransformersPolicy, problems: int) -> dict[str, Any]:
    test = rlenv.load(ENV, split="test", **TASKS)
    found = {}
    for name, n, temperature in (("sampled", 16, 1.0), ("greedy", 1, 0.0)):
        sampling = Sampling(max_new_tokens=16, temperature=temperature)
        report = rlenv.evaluate(test, policy, n=n, k=1, limit=problems, sampling=sampling, chunk_tasks=32, quiet=True)
        estimate = report.pass_at[1]
        found[name] = [estimate.value, estimate.low, estimate.high]
    return found


def warm(seed: int, folder: Path, problems: int) -> tuple[TransformersPolicy, dict[str, Any]]:
    """The warm start of this seed, made once."""
    policy, saved = tiny_policy(seed), folder / f"warm-{seed}.pt"
    if not saved.exists():
        definition = rlenv.load(ENV, split="train", **TASKS)
        sft = Recipe(seed).sft()
        supervised(policy, demonstrations(definition, policy, sft.max_demonstrations), sft)
        torch.save({"model": policy.model.state_dict(), "measured": measure(policy, problems)}, saved)
    state = torch.load(saved, weights_only=True)
    policy.model.load_state_dict(state["model"])
    return policy, state["measured"]


def run(arm: Arm, seed: int, steps: int, problems: int, out: Path) -> dict[str, Any]:
    policy, before = warm(seed, out, problems)
    policy = copy.deepcopy(policy)
    folder = out / f"{arm.name}-{seed}".replace(" ", "").replace(",", "-").lower()
    shutil.rmtree(folder, ignore_errors=True)
    started = time.perf_counter()
    train(arm.config(seed, steps), rlenv.load(ENV, split="train", **TASKS), policy, folder, quiet=True)
    seconds = time.perf_counter() - started
    metrics = read_metrics(folder / "metrics.jsonl")
    variance = [m["critic/explained_variance"] for m in metrics if "critic/explained_variance" in m]
    return {
        "arm": arm.name,
        "seed": seed,
        "before": before,
        "after": measure(policy, problems),
        "seconds": seconds,
        "episodes": steps * arm.groups * arm.group_size,
        "explained_variance": [float(np.mean(variance[1:11])), float(np.mean(variance[-10:]))] if variance else None,
        "rewards": [m["reward"] for m in metrics],
    }


COLUMNS = ("algorithm", "seed", "before", "after", "gain", "greedy", "seconds", "explained variance")


def table(results: list[dict[str, Any]]) -> str:
    """pass@1 before and after with 95 % intervals; explained variance of the first and the last ten rollouts."""
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    for r in results:
        before, after = r["before"]["sampled"], r["after"]["sampled"]
        variance = "-" if r["explained_variance"] is None else "{:.2f} to {:.2f}".format(*r["explained_variance"])
        cells = [
            r["arm"],
            str(r["seed"]),
            "{:.3f} [{:.3f}, {:.3f}]".format(*before),
            "{:.3f} [{:.3f}, {:.3f}]".format(*after),
            f"{after[0] - before[0]:+.3f}",
            f"{r['before']['greedy'][0]:.3f} to {r['after']['greedy'][0]:.3f}",
            f"{r['seconds']:.0f}",
            variance,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def plot(results: list[dict[str, Any]], path: Path) -> None:
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for arm in ARMS:
        curves = [r["rewards"] for r in results if r["arm"] == arm.name]
        if curves:
            mean = np.mean([c[: min(map(len, curves))] for c in curves], axis=0)
            reward_curve(axes, list(range(len(mean))), mean.tolist(), arm.name)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path("runs/algorithms"))
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--problems", type=int, default=250)
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    saved = options.out / "results.jsonl"
    results = [json.loads(text) for text in saved.read_text().splitlines()] if saved.exists() else []
    done = {(r["arm"], r["seed"]) for r in results}
    for seed in options.seeds:
        for arm in ARMS:
            if (arm.name, seed) in done:
                continue
            results.append(run(arm, seed, options.steps, options.problems, options.out))
            with saved.open("a") as file:
                file.write(json.dumps(results[-1]) + "\n")
            print(table(results[-1:]).splitlines()[-1], flush=True)
    results.sort(key=lambda r: ([arm.name for arm in ARMS].index(r["arm"]), r["seed"]))
    (options.out / "table.md").write_text(table(results))
    plot(results, options.out / "curves.png")
    print(table(results))


if __name__ == "__main__":
    main()
