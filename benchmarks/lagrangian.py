"""A cost held at its budget while the reward rises, and what happens without the multiplier.

    python benchmarks/lagrangian.py --out runs/lagrangian --docs docs

The words of made_up_words.py: the reward is the points of their letters, the cost the share of characters that
nobody can pronounce. They pull against each other, because the letters with points are consonants. From one warm start
a seed, two runs with the same settings: one with the Lagrangian wrapper and a budget below the cost of the warm start,
one with the multiplier fixed at 0. Writes table.md and lagrangian.png; an interrupted benchmark goes on.
"""

from __future__ import annotations

import argparse
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from lagrangian_plot import plot, table
from made_up_words import MAX_NEW_TOKENS, clusters, definition, points, warm_start

from rlenv.envs.safety.scored import RewardAndCost
from rlenv.scorers.scorer import FunctionScorer
from rlenv.store.saved_episodes import read_episodes
from rlenv.trainers import TrainConfig, train
from rlenv.trainers.records.runfolder import holds_run
from rlenv.wrappers import Lagrangian

BUDGET = 0.2
GROUPS, GROUP_SIZE = 16, 8
ARMS = {
    "budget": Lagrangian(budget=BUDGET, rate=0.4, proportional=3.0, window=GROUPS * GROUP_SIZE),
    "weight 0": Lagrangian(multiplier=0.0),
}
"""The integral gain (rate) brings the mean cost to its budget, the proportional one damps the swings around it."""


@dataclass(frozen=True)
class Run:
    """The means of each rollout. All (steps,)"""

    arm: str
    seed: int
    reward: list[float]
    cost: list[float]
    multiplier: list[float]


def run(arm: str, seed: int, out: Path, steps: int) -> Run:
    """One run; one that was finished before is read back."""
    torch.set_num_threads(1)
    verifier = RewardAndCost(FunctionScorer(points), FunctionScorer(clusters), squash=False)
    env = definition(verifier, [ARMS[arm]], "lagrangian")
    folder = out / f"{arm.replace(' ', '-')}-{seed}"
    config = TrainConfig(
        algorithm="grpo",
        steps=steps,
        groups=GROUPS,
        group_size=GROUP_SIZE,
        max_new_tokens=MAX_NEW_TOKENS,
        learning_rate=3e-4,
        decay_share=0.5,
        seed=seed,
        save_every=50,
        trackers="none",
    )
    train(config, env, warm_start(seed, out / f"warm-{seed}", env), folder, resume=holds_run(folder), quiet=True)
    return measured(arm, seed, folder, steps)


def measured(arm: str, seed: int, folder: Path, steps: int) -> Run:
    sums = np.zeros((3, steps))
    for episode in read_episodes(folder):
        scores = episode.verdict.scores
        sums[:, episode.step] += [scores["reward"], scores["cost"], scores["multiplier"]]
    reward, cost, multiplier = (sums / (GROUPS * GROUP_SIZE)).tolist()
    return Run(arm, seed, reward, cost, multiplier)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("runs/lagrangian"))
    parser.add_argument("--docs", type=Path, help="Also write the plot into this folder's images.")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--steps", type=int, default=240)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    jobs = [(arm, int(seed)) for seed in given.seeds.split(",") for arm in ARMS]
    with ProcessPoolExecutor(given.jobs, multiprocessing.get_context("spawn")) as pool:
        waiting = [pool.submit(run, arm, seed, given.out, given.steps) for arm, seed in jobs]
        runs = [done.result() for done in waiting]
    text = table(runs, BUDGET)
    (given.out / "table.md").write_text(text)
    print(text)
    for folder in filter(None, (given.out, given.docs and given.docs / "images")):
        plot(runs, BUDGET, folder / "lagrangian.png")


if __name__ == "__main__":
    main()
