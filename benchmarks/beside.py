"""Rollouts drawn beside the updates against the plain loop: rollouts an hour, and pass@1 after equally many.

    python benchmarks/beside.py --out runs/beside --steps 300 --chunk 20

The arms take turns of `--chunk` rollouts in one run, each from the same warm start; all but one have one thread a
process. What an arm has drawn ahead at the end of its turn is waited for, and counts in its time. pass@1 is on tasks
held out from training, with 95 % intervals over tasks. The share of a step that the plain loop generates for stands
above the table: the gain is at most 2 where it is a half. Run it on a quiet machine of two cores: of a busy one
two processes get more than one does.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import torch

import rlenv
from rlenv.core.policy import Sampling
from rlenv.policies.tiny import Size, tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, Algorithm, SftConfig, TrainConfig, Trainer, with_changes
from rlenv.trainers.branches.sft import demonstrations, supervised

ENV, LEVEL, HELD_OUT = "math/arithmetic-v0", 4, 250
SIZE: Size = "0.4m"
CORRECTED = with_changes(ALGORITHMS["grpo"], {"correction.kind": "truncate"})
TWO_THREADS = "plain loop, two threads"
ARMS: dict[str, tuple[int, Algorithm]] = {
    "plain loop": (0, ALGORITHMS["grpo"]),
    TWO_THREADS: (0, ALGORITHMS["grpo"]),
    "1 behind, truncated weights": (1, CORRECTED),
    "2 behind, truncated weights": (2, CORRECTED),
    "1 behind, the clip alone": (1, ALGORITHMS["grpo"]),
    "2 behind, the clip alone": (2, ALGORITHMS["grpo"]),
}


def started(seed: int) -> TransformersPolicy:
    """The warm start of all arms."""
    policy = tiny_policy(seed, SIZE)
    config = SftConfig(steps=400, learning_rate=2e-3, max_demonstrations=200, seed=seed)
    supervised(policy, demonstrations(rlenv.load(ENV, level=LEVEL), policy, config.max_demonstrations), config)
    return policy


def trainer(name: str, weights: dict[str, torch.Tensor], out: Path, steps: int, seed: int) -> Trainer:
    """The run of one arm."""
    staleness, row = ARMS[name]
    policy = tiny_policy(seed, SIZE)
    policy.model.load_state_dict(weights)
    config = TrainConfig(
        algorithm=row,
        staleness=staleness,
        steps=steps,
        max_new_tokens=16,
        learning_rate=1e-4,
        warmup_steps=20,
        save_every=10**9,
        trackers="none",
        seed=seed,
    )
    return Trainer(config, rlenv.load(ENV, level=LEVEL), policy, out / name.replace(" ", "-"), quiet=True)


def turn(run: Trainer, rollouts: int) -> tuple[float, list[dict[str, float]]]:
    """So many rollouts, and the seconds they took, with all that was asked for ahead."""
    begun = time.perf_counter()
    metrics = [run.step() for _ in range(rollouts)]
    if run.ahead is not None:
        run.ahead.state()
    return time.perf_counter() - begun, metrics


def pass_at_1(policy: TransformersPolicy) -> str:
    """On held-out tasks, four samples each."""
    held_out = rlenv.load(ENV, level=LEVEL, split="test")
    report = rlenv.evaluate(
        held_out, policy, n=4, k=1, limit=HELD_OUT, sampling=Sampling(max_new_tokens=16), quiet=True
    )
    found = report.pass_at[1]
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def main(arguments: Sequence[str] | None = None) -> None:
    """Train all arms in turns, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/beside"))
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--chunk", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    policy = started(given.seed)
    weights = {name: value.clone() for name, value in policy.model.state_dict().items()}
    runs = {name: trainer(name, weights, given.out, given.steps, given.seed) for name in ARMS}
    for run in runs.values():
        turn(run, 1)  # processes start, libraries are loaded
    seconds: dict[str, list[float]] = {name: [] for name in ARMS}
    shares: list[float] = []
    for _ in range((given.steps - 1) // given.chunk):
        for name, run in runs.items():
            torch.set_num_threads(2 if name == TWO_THREADS else 1)
            took, metrics = turn(run, given.chunk)
            seconds[name].append(took)
            if name == "plain loop":
                shares += [m["time/generate"] / m["step_time"] for m in metrics]
    torch.set_num_threads(1)
    print(f"the plain loop generates for {statistics.median(shares):.0%} of a step; warm start {pass_at_1(policy)}")
    print("| arm | rollouts an hour, to the plain loop | pass@1 |\n|---|---|---|")
    for name, run in runs.items():
        ratios = [plain / own for plain, own in zip(seconds["plain loop"], seconds[name], strict=True)]
        spread = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        print(f"| {name} | {spread} | {pass_at_1(run.policy)} |")
        run.close()


if __name__ == "__main__":
    main()
