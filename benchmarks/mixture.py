"""One run in five environments, one of whose checkers fails: how each is learned, and that only that one stops.

    python benchmarks/mixture.py --out runs/mixture --steps 500 --seed 0

A tiny policy, warmed up on solutions of all five, is trained with GRPO: sums, sums written step by step, words said
backwards, a game of several turns in groups of its own size, and sums whose checker cannot be reached. Prints for each
environment its share of the episodes and its reward in the first and the last tenth of the rollouts, with 95 %
intervals over rollouts, and writes mixture.png. A run that was interrupted goes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np
from matplotlib.figure import Figure
from turns_learning import game

import rlenv
from rlenv.core.definition import Definition
from rlenv.core.task import Task
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.batch import definition
from rlenv.env.tasksets import ListTasks
from rlenv.evaluation.passk import mean_interval
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers import Member, Mixture, SftConfig, TrainConfig, train
from rlenv.trainers.records.logs import Alarm, read_alarms, read_metrics
from rlenv.trainers.records.plots import reward_curve

BACKWARDS, AWAY = "bench/backwards-v0", "bench/away-v0"


def backwards(seed: int = 0, count: int = 5_000) -> Definition:
    """Three letters to be said from the last to the first."""
    rng = np.random.default_rng(seed)
    words = ["".join(map(chr, rng.integers(ord("a"), ord("z") + 1, size=3))) for _ in range(count)]
    tasks = ListTasks([Task(f"{word}=?", word[::-1]) for word in words])
    check = FunctionVerifier(lambda completion, answer: completion.strip() == answer, cheap=True)
    return Definition(tasks=tasks, verifier=check, id=BACKWARDS)


def unreachable(completion: str) -> bool:
    """A checker that asks a service which is not there."""
    raise ConnectionError("the service that knows the answers does not answer")


def five() -> Mixture:
    """The five environments."""
    sums = rlenv.load("math/arithmetic-v0", level=2)
    return Mixture(
        [
            Member(env=sums, weight=3),
            Member(env="process/arithmetic-v0", weight=2),
            Member(env=backwards(), weight=2, sampler="uniform"),
            Member(env=game("train"), weight=2, group_size=12),
            Member(env=replace(sums, verifier=FunctionVerifier(unreachable, cheap=True), id=AWAY), weight=1),
        ]
    )


def trained(out: Path, steps: int, seed: int) -> None:
    """The run, or what is left of it."""
    config = TrainConfig(
        steps=steps,
        groups=30,
        group_size=8,
        max_new_tokens=40,
        learning_rate=5e-4,
        seed=seed,
        save_every=20,
        trackers="none",
    )
    sft = SftConfig(steps=1200, batch_size=64, learning_rate=4e-3, max_demonstrations=6_000, seed=seed)
    train(config, five(), tiny_policy(seed), out, sft=sft, resume=(out / "config.json").exists())


def table(metrics: Sequence[Mapping[str, float]]) -> list[str]:
    """A row an environment."""
    tenth = max(2, len(metrics) // 10)
    lines = [
        "| environment | rollouts | groups a rollout | reward, first tenth | last tenth |",
        "|---|---|---|---|---|",
    ]
    for member in five().members:
        name = f"env/{definition(member.env).id}"
        own = [m for m in metrics if f"{name}/groups" in m]
        rewards = [m[f"{name}/reward"] for m in own if f"{name}/reward" in m]
        cells = [_interval(rewards[:tenth]), _interval(rewards[-tenth:])]
        groups = fmean(m[f"{name}/groups"] for m in own)
        lines.append(f"| {name.removeprefix('env/')} | {len(own)} | {groups:.1f} | {cells[0]} | {cells[1]} |")
    return lines


def _interval(values: Sequence[float]) -> str:
    if not values:
        return "none was graded"
    found = mean_interval(values, bounds=(-1.0, 1.0))
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def plot(metrics: Sequence[Mapping[str, float]], alarms: Sequence[Alarm], path: Path) -> None:
    """The reward of each environment over the rollouts, and where one stopped."""
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axes = figure.subplots()
    for member in five().members:
        id = definition(member.env).id
        own = [m for m in metrics if f"env/{id}/reward" in m]
        reward_curve(axes, [m["step"] for m in own], [m[f"env/{id}/reward"] for m in own], id)
    for alarm in alarms:
        axes.axvline(alarm.step, color="tab:red", linestyle=":")
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=120)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, print the table and the alarms, write the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/mixture"))
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    trained(options.out, options.steps, options.seed)
    metrics = read_metrics(options.out / "metrics.jsonl")
    alarms = read_alarms(options.out)
    plot(metrics, alarms, options.out / "mixture.png")
    print("\n".join([*table(metrics), "", *(f"rollout {alarm.step}: {alarm.message}" for alarm in alarms)]))


if __name__ == "__main__":
    main()
