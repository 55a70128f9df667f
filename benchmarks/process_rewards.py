"""Rewards for steps beside rewards for answers: a tiny policy on `process/arithmetic-v0`, three seeds.

    python benchmarks/process_rewards.py --out runs/process-rewards --jobs 2 --docs docs

Every arm starts from the warm start of its seed, learns from its own reward, and is looked at on held-out tasks on the
way: accuracy is of the final answer alone, whatever the reward. `episodes to` is how many episodes an arm needs until
its curve (the mean of three looks) is at the final accuracy of the outcome reward of that seed.
Writes results.jsonl (a run a line, so that an interrupted benchmark goes on), table.md and process-rewards.png.
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import time
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from process_arms import ARMS, GROUPS, LEVEL, MAX_NEW_TOKENS, OUTCOME_ENV, Arm, warm_start
from process_tables import into_docs, plot, table
from result_lines import add, read

import rlenv
from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import train
from rlenv.trainers.records.logs import Alarm
from rlenv.trainers.rollouts.rollout import Rollout

SEEDS = (0, 1, 2)
LOOK_EVERY, LOOK_TASKS, FINAL_TASKS = 6, 256, 1024


@dataclass(frozen=True)
class Options:
    """What holds for every run."""

    out: Path
    steps: int


def accuracy(policy: TransformersPolicy, tasks: int, seed: int) -> float:
    """The share of held-out tasks whose final answer is right, sampled once at temperature 1."""
    sampling = Sampling(max_new_tokens=MAX_NEW_TOKENS, temperature=1.0)
    test = rlenv.load(OUTCOME_ENV, split="test", level=LEVEL)
    report = rlenv.evaluate(test, policy, limit=tasks, sampling=sampling, chunk_tasks=128, quiet=True, seed=seed)
    counts = report.counts().values()
    return sum(passed / judged for judged, passed in counts) / len(counts)


class Looks:
    """A monitor that looks at held-out tasks on the way and says nothing."""

    name = "looks"

    def __init__(self, start: float, first_reward: float | None = None) -> None:
        self.curve: list[tuple[int, float, float | None]] = [(0, start, first_reward)]
        self._rewards: list[float] = []

    def after_step(
        self,
        step: int,
        episodes: Sequence[Episode],
        rollout: Rollout,
        metrics: MutableMapping[str, float],
        policy: TransformersPolicy,
    ) -> list[Alarm]:
        self._rewards.append(metrics["reward"])
        if (step + 1) % LOOK_EVERY == 0:
            reward = sum(self._rewards) / len(self._rewards)
            self.curve.append(((step + 1) * GROUPS, accuracy(policy, LOOK_TASKS, step), reward))
            self._rewards.clear()
        return []

    def state_dict(self) -> dict[str, Json]:
        return {}

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        """Runs of the benchmark are not resumed in their middle."""


def prepare(seed: int, options: Options) -> None:
    """The warm start of a seed, made once."""
    torch.set_num_threads(1)
    saved = options.out / f"warm-{seed}.pt"
    if not saved.exists():
        policy = warm_start(seed)
        state = {"model": policy.model.state_dict(), "accuracy": accuracy(policy, FINAL_TASKS, 0)}
        torch.save(state, saved)


def run(arm: Arm, seed: int, options: Options) -> dict[str, Any]:
    """Train one arm from the warm start of its seed."""
    torch.set_num_threads(1)
    began = time.process_time()
    state = torch.load(options.out / f"warm-{seed}.pt", weights_only=True)
    policy = tiny_policy(seed)
    policy.model.load_state_dict(state["model"])
    folder = options.out / "runs" / f"{arm.name}-{seed}".replace(", ", "-")
    shutil.rmtree(folder, ignore_errors=True)
    looks = Looks(state["accuracy"])
    train(arm.config(seed, options.steps), arm.environment(), policy, folder, quiet=True, monitors=(looks,))
    shutil.rmtree(folder)
    return {
        "arm": arm.name,
        "seed": seed,
        "before": state["accuracy"],
        "after": accuracy(policy, FINAL_TASKS, 0),
        "curve": looks.curve,
        "processor_seconds": time.process_time() - began,
    }


def every_run(arms: Sequence[Arm], seeds: Sequence[int], options: Options, jobs: int) -> Iterator[dict[str, Any]]:
    """The results that results.jsonl does not have yet, as they come."""
    done = {(r["arm"], r["seed"]) for r in read(options.out / "results.jsonl")}
    wanted = [(arm, seed) for seed in seeds for arm in arms if not arm.first_seed_only]
    wanted += [(arm, seeds[0]) for arm in arms if arm.first_seed_only]
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        for future in [pool.submit(prepare, seed, options) for seed in seeds]:
            future.result()
        left = [(arm, seed) for arm, seed in wanted if (arm.name, seed) not in done]
        for ended in as_completed([pool.submit(run, arm, seed, options) for arm, seed in left]):
            yield ended.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path("runs/process-rewards"))
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time, one core each")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    parser.add_argument("--arms", nargs="+", default=[], help="only these")
    parser.add_argument("--steps", type=int, default=60, help=f"rollouts of {GROUPS} episodes")
    parser.add_argument("--docs", type=Path, help="the folder of the page that the table and the plot go into")
    given = parser.parse_args()
    options = Options(given.out, given.steps)
    options.out.mkdir(parents=True, exist_ok=True)
    saved = options.out / "results.jsonl"
    arms = [arm for arm in ARMS if not given.arms or arm.name in given.arms]
    for result in every_run(arms, given.seeds, options, given.jobs):
        add(saved, result)
        print(
            f"{result['arm']}, seed {result['seed']}: {result['before']:.3f} to {result['after']:.3f} in "
            f"{result['processor_seconds']:.0f} processor seconds",
            flush=True,
        )
    order = [arm.name for arm in ARMS]
    results = sorted(read(saved), key=lambda r: (order.index(r["arm"]), r["seed"]))
    (options.out / "table.md").write_text(table(results))
    plot(results, options.out / "process-rewards.png")
    if given.docs is not None:
        into_docs(results, options.out, given.docs)
    print(table(results))


if __name__ == "__main__":
    main()
