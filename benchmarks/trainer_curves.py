"""GRPO on a set of tasks with a real model, for its curve: reward over steps as JSON and as a plot."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from rlenv.core.definition import Definition
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.loop.train import train
from rlenv.trainers.records.logs import read_metrics
from rlenv.trainers.records.report import plot_run
from rlenv.trainers.settings.config import TrainConfig

KEPT = ("step", "reward", "entropy", "completions/mean_length", "time/generate", "time/update", "step_time")


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A run and what it gave, rollout by rollout."""

    model: str
    environment: str
    rewards: tuple[float, ...]
    seconds: float


def curve(env: Definition, policy: TransformersPolicy, out: Path, config: TrainConfig) -> Curve:
    """Train, then write curve.json and curve.png into `out`."""
    train(config, env, policy, out / "run", quiet=True)
    metrics = read_metrics(out / "run" / "metrics.jsonl")
    rows = [{name: row[name] for name in KEPT if name in row} for row in metrics]
    found = Curve(
        model=policy.name,
        environment=env.id or "environment",
        rewards=tuple(row["reward"] for row in metrics),
        seconds=sum(row["step_time"] for row in metrics),
    )
    (out / "curve.json").write_text(json.dumps({**asdict(found), "steps": rows}, indent=1))
    plot_run(metrics, out / "curve.png")
    return found
