"""A tiny model learns to write functions by GRPO, with the sandbox as its judge.

    OMP_NUM_THREADS=1 python benchmarks/snippets.py --sandbox docker --seeds 0,1 --out runs/snippets

The model of `make demo` (0.1 million parameters) is warmed up on the solutions of three fifths of the level 1
tasks of code/snippets-v0, then trained on other ones that come with hidden tests and no solution. Prints pass@1
before and after, on the tasks that it was trained on and on tasks held out from both, and what share of the time
went into judging; writes curves.png.
"""

from __future__ import annotations

import argparse
import shutil
from dataclasses import replace
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import rlenv
from rlenv.core.jsontypes import Json
from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import SftConfig, TrainConfig, train
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.trainers.records.logs import read_metrics
from rlenv.trainers.records.plots import reward_curve

ENV = "code/snippets-v0"
LONGEST = 48
PHASES = ("time/generate", "time/score", "time/update")


def settings(sandbox: str) -> dict[str, Json]:
    return {"level": 1, "style": "bare", "demonstration_percent": 60, "sandbox": sandbox}


def warm_start(definition: rlenv.Definition, seed: int) -> TransformersPolicy:
    policy = tiny_policy(seed)
    shown = demonstrations(definition, policy, 1000)
    supervised(policy, shown, SftConfig(steps=300, batch_size=len(shown), learning_rate=2e-3, seed=seed))
    return policy


def pass_at_1(definition: rlenv.Definition, policy: TransformersPolicy) -> str:
    report = rlenv.evaluate(definition, policy, n=16, k=1, sampling=Sampling(max_new_tokens=LONGEST), quiet=True)
    found = report.pass_at[1]
    assert report.verifier_errors == 0
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def run(seed: int, steps: int, sandbox: str, out: Path) -> tuple[str, list[float]]:
    """A row of the table, and the reward of each rollout."""
    chosen = settings(sandbox)
    trained, held_out = rlenv.load(ENV, **chosen), rlenv.load(ENV, split="test", **chosen)
    policy = warm_start(trained, seed)
    before = [pass_at_1(definition, policy) for definition in (trained, held_out)]
    config = TrainConfig(
        steps=steps,
        groups=len(trained.tasks),
        group_size=8,
        max_new_tokens=LONGEST,
        learning_rate=5e-4,
        decay_share=0.5,
        save_every=10_000,
        seed=seed,
    )
    policy = train(config, replace(trained, demonstrations=None), policy, out, quiet=True)
    metrics = list(read_metrics(out / "metrics.jsonl"))
    spent = [sum(row[phase] for row in metrics) for phase in PHASES]
    after = [pass_at_1(definition, policy) for definition in (trained, held_out)]
    cells = [f"{seed}", *(f"{b} -> {a}" for b, a in zip(before, after, strict=True))]
    cells += [f"{seconds:.0f} s" for seconds in spent] + [f"{spent[1] / sum(spent):.0%}"]
    return f"| {' | '.join(cells)} |", [row["reward"] for row in metrics]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", default="docker")
    parser.add_argument("--seeds", default="0,1")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--out", type=Path, default=Path("runs/snippets"))
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    figure = Figure(figsize=(5.6, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    print("| seed | pass@1 on the tasks trained on | held out | generating | judging | updating | share of judging |")
    print("|---|---|---|---|---|---|---|")
    for seed in map(int, options.seeds.split(",")):
        row, rewards = run(seed, options.steps, options.sandbox, options.out / f"seed{seed}")
        print(row, flush=True)
        reward_curve(axes, list(range(len(rewards))), rewards, f"seed {seed}")
    axes.set_title(f"{ENV}, level 1, judged in {options.sandbox}", fontsize=9)
    axes.legend()
    options.out.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.out / "curves.png", dpi=120)


if __name__ == "__main__":
    main()
